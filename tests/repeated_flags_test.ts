/** What becomes of a flag that is given twice: on the command line, in its variable, in a settings file (L1, L7). */
import assert from "node:assert/strict";
import type { Flag } from "../src/settings/flags/flag.ts";
import { flagValues } from "../src/settings/flags/flag_values.ts";
import { FLAG_NAMES, type FlagName, flagNamed } from "../src/settings/flags/flags.ts";
import { parseCommandLine } from "../src/settings/flags/parse_command_line.ts";
import { factsOf, SUBCOMMANDS } from "../src/settings/flags/subcommands.ts";
import { readSettingsFiles } from "../src/settings/settings_files.ts";

/** Every flag of which a person may want several; each other one with a value takes one. */
const LISTS: readonly FlagName[] = [
  "bundles",
  "prompt-env",
  "allow-private-hosts",
  "mcp-config",
  "sandbox-scope",
  "read",
  "write",
  "protect",
  "allow-protected",
  "allow-read-sensitive",
  "gpu",
  "env",
  "secret",
  "secret-file",
  "secret-command",
  "ssh-agent",
  "ssh-hosts",
  "publish",
  "ask",
  "require-layer",
  "allow-host",
  "allow-origin",
  "server-args",
  "client",
  "scopes",
];

/** Two values that a flag takes, in its own form. */
function twoValues({ value, choices, range }: Flag): readonly [string, string] {
  if (value === "choice") return [choices?.[0] ?? "", choices?.[1] ?? ""];
  if (value === "count" || value === "number" || value === "limit") {
    return [`${range?.[1]}`, `${(range?.[1] ?? 0) - 1}`];
  }
  if (value === "secret" || value === "assignment") return ["ONE=one.test", "TWO=two.test"];
  if (value === "gpu") return ["0", "renderD129"];
  if (value === "port") return ["80", "8080:81"];
  if (value === "origin") return ["http://one.test", "http://two.test"];
  return value === "network" ? ["one.test", "two.test"] : ["one", "two"];
}

const WITH_VALUE = FLAG_NAMES.filter((name) => flagNamed(name).value !== "none");

function typedTwice(name: FlagName, values: readonly string[]): unknown {
  const owner = SUBCOMMANDS.find((one) => factsOf(one).flags.includes(name));
  const named = flagNamed(name).own === true && owner !== undefined ? [owner] : [];
  const line = parseCommandLine([...named, ...values.flatMap((value) => [`--${name}`, value])]);
  return line.ok ? line.value.flags.get(name) : line.problem;
}

Deno.test("L1 every flag that is given twice is a list, or refuses two values and names them", () => {
  for (const name of WITH_VALUE) {
    const [one, two] = twoValues(flagNamed(name));
    const addsUp = LISTS.includes(name) || name === "network"; // lists of hosts become one
    const refused = `Cannot use flag "--${name}" with "${one}" and "${two}": it takes one value`;
    assert.deepStrictEqual(typedTwice(name, [one, two]), addsUp ? [one, two] : refused);
    if (!addsUp) assert.deepStrictEqual(typedTwice(name, [one, one]), [one], name);
  }
});

Deno.test("L1 every flag that is a list takes several values from its variable, and every other one a single value", () => {
  for (const name of WITH_VALUE) {
    const flag = flagNamed(name);
    if (flag.variable === undefined) continue;
    const [one, two] = twoValues(flag);
    const text = [one, two].join(flag.value === "directory" ? ":" : ",");
    const values = flagValues({ typed: new Map(), environment: { [flag.variable]: text }, files: [] });
    const isText = ["text", "directory", "network"].includes(flag.value); // such a text is one value of these
    const expected = LISTS.includes(name)
      ? [one, two]
      : isText
      ? [text]
      : `Cannot use variable "${flag.variable}": "${text}"`;
    const found = values.ok ? values.value.texts(name) : values.problem.slice(0, expected.length);
    assert.deepStrictEqual(found, expected, name);
  }
});

Deno.test("L1 names of hosts and origins may be joined, and what is none is refused", () => {
  const find = (name: FlagName, text: string) => {
    const line = parseCommandLine([`--${name}`, text]);
    const values = flagValues({ typed: line.ok ? line.value.flags : new Map(), environment: {}, files: [] });
    return values.ok ? values.value.texts(name) : values.problem;
  };
  for (const name of ["allow-private-hosts", "allow-host"] as const) {
    assert.deepStrictEqual(find(name, "one.test,[::1]:80"), ["one.test", "[::1]:80"]);
    assert.match(
      `${find(name, "https://one.test")}`,
      /^Cannot use flag "--allow-\S+": "https:\/\/one\.test" is not a host /,
    );
  }
  assert.deepStrictEqual(find("allow-origin", "https://one.test:8,null"), ["https://one.test:8", "null"]);
  assert.match(`${find("allow-origin", "one.test")}`, /: "one\.test" is not an origin such as https:\/\/ide\.example$/);
});

/** What the user's file is read as: the values of its flags, or the problem without its place. */
async function fromFile(text: string, project?: string): Promise<unknown> {
  const home = await Deno.realPath(await Deno.makeTempDir());
  try {
    await Deno.mkdir(`${home}/.config/ahma`, { recursive: true });
    await Deno.mkdir(`${home}/project/.ahma`, { recursive: true });
    await Deno.writeTextFile(`${home}/.config/ahma/settings.json`, text);
    if (project !== undefined) await Deno.writeTextFile(`${home}/project/.ahma/settings.json`, project);
    const read = await readSettingsFiles({ environment: { HOME: home }, directory: `${home}/project` });
    if (!read.ok) return read.problem.replace(/^.*settings\.json:/, "");
    return [read.value.files.map((file) => Object.fromEntries([...file].map(([name, { values }]) => [name, values])))]
      .concat(read.value.warnings.map((warning) => warning.replace(/^.*settings\.json:/, "")) as never);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

Deno.test("L7 every setting that is a list takes a list in a file, and every other one refuses it and shows it", async () => {
  for (const name of WITH_VALUE) {
    const flag = flagNamed(name);
    if (flag.variable === undefined) continue;
    const key = name.replaceAll("-", "_");
    const isNumber = flag.value === "count" || flag.value === "number";
    const list = isNumber ? twoValues(flag).map(Number) : twoValues(flag);
    const refused = `1:${key.length + 5}: Setting "${key}": ${JSON.stringify(list)} is a list, and it takes one value`;
    const ofHosts = [[{ [name]: [list.join(",")] }]];
    const expected = LISTS.includes(name) ? [[{ [name]: list }]] : flag.value === "network" ? ofHosts : refused;
    assert.deepStrictEqual(await fromFile(JSON.stringify({ [key]: list })), expected);
  }
});

Deno.test("L7 a key that stands twice in a settings file is refused with both values, and left out of a project's", async () => {
  assert.strictEqual(
    await fromFile('{"sandbox_scope": "/a",\n "sandbox_scope": ["/b"]}'),
    '1:2: Setting "sandbox_scope" is given as "/a" and as ["/b"]: write one list',
  );
  assert.strictEqual(
    await fromFile('{"timeout": 5, "timeout": 6}'),
    '1:2: Setting "timeout" is given as 5 and as 6: it takes one value',
  );
  assert.deepStrictEqual(await fromFile("{}", '{"timeout": 5, "sync": true, "timeout": 6}'), [
    [{ sync: [] }],
    '1:2: Setting "timeout" is given as 5 and as 6: it takes one value; this is ignored',
  ]);
});

Deno.test("L7 names may stand in one text, separated by commas, wherever several may be given", async () => {
  const environment = { AHMA_ENV: "A, B" };
  const values = flagValues({ typed: new Map(), environment, files: [] });
  assert.deepStrictEqual(values.ok && values.value.texts("env"), ["A", "B"]);
  assert.deepStrictEqual(typedTwice("env", ["A,B", "C"]), ["A", "B", "C"]);
  assert.deepStrictEqual(typedTwice("bundles", ["git, npm,", "make"]), ["git", "npm", "make"]);
  assert.deepStrictEqual(typedTwice("read", ["/a,b"]), ["/a,b"]);
  assert.deepStrictEqual(await fromFile('{"env": ["A,B", "C"], "bundles": "git"}', '{"bundles": ["npm", "make,go"]}'), [
    [
      { bundles: ["npm", "make", "go", "git"] },
      { env: ["A", "B", "C"], bundles: ["git"] },
    ],
  ]);
});
