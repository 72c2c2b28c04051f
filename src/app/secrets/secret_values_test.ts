import assert from "node:assert/strict";
import { secretValues } from "./secret_values.ts";

const VALUE = "true-value-of-a-token";

/** The value of TOKEN, or why it is refused. `source`: its file or command; absent: the variable. */
async function valueOf(
  environment: Readonly<Record<string, string>>,
  { file, command, isReadable = false }: {
    readonly file?: string;
    readonly command?: string;
    readonly isReadable?: boolean;
  } = {},
): Promise<string | undefined> {
  const use = { kind: "git" } as const;
  const settings = {
    bindings: [{ name: "TOKEN", hosts: [], use }],
    files: new Map(file === undefined ? [] : [["TOKEN", file]]),
    commands: new Map(command === undefined ? [] : [["TOKEN", command]]),
  };
  return await secretValues(settings, environment, () => isReadable).then(
    (values) => values.get("TOKEN"),
    ({ message }: Error) => message,
  );
}

async function refused(pattern: RegExp, ...asked: Parameters<typeof valueOf>): Promise<void> {
  const said = await valueOf(...asked) ?? "";
  assert.match(said, pattern);
  assert.ok(!said.includes(VALUE), said);
}

Deno.test("S33 a secret's value is that of its variable, and one that no header can carry is not shown", async () => {
  assert.strictEqual(await valueOf({ TOKEN: `${VALUE}\n` }), VALUE);
  await refused(/^Cannot find secret "TOKEN": variable "TOKEN" is not set/, {});
  await refused(/^Cannot use secret "TOKEN": it has 5 characters/, { TOKEN: "short" });
  await refused(/^Cannot use secret "TOKEN": it holds characters/, { TOKEN: `${VALUE}\n${VALUE}` });
});

Deno.test("S33 a file of a secret is its user's alone and out of reach of commands, and is a file", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const file = `${folder}/token`;
    await Deno.writeTextFile(file, `${VALUE}\n`, { mode: 0o600 });
    assert.strictEqual(await valueOf({}, { file }), VALUE);
    await refused(/^Cannot read secret "TOKEN" from ".*": commands can read it there/, {}, { file, isReadable: true });
    await Deno.chmod(file, 0o644);
    await refused(/^Cannot read secret "TOKEN" from ".*": other users can read it/, {}, { file });
    // Nothing ever writes to it.
    const pipe = `${folder}/pipe`;
    assert.ok((await new Deno.Command("mkfifo", { args: ["-m", "600", pipe] }).output()).success);
    await refused(/^Cannot read secret "TOKEN" from ".*": it is not a file/, {}, { file: pipe });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("S33 a command prints a secret's value, and one that fails refuses it", async () => {
  assert.strictEqual(await valueOf({ PATH: "/usr/bin:/bin" }, { command: `echo ${VALUE}` }), VALUE);
  await refused(/^Cannot read secret "TOKEN" from its command: it failed/, {}, { command: `echo ${VALUE}; exit 1` });
});
