/** The demonstrations do what they say: each step checks itself, and here that all of them ran, for a pipe. */
import assert from "node:assert/strict";
import { pythonPackage } from "./_support/packages/python_packages.ts";

const PERMISSIONS = ["read", "write", "env", "run", "ffi", "sys", "net", "import"].map((name) => `--allow-${name}`);

interface Shown {
  readonly code: number;
  readonly text: string;
  /** Names in its directory for temporary files, afterwards. */
  readonly left: readonly string[];
}

async function run(script: string): Promise<Shown> {
  const temporary = await Deno.makeTempDir({ prefix: "ahma-test-" });
  try {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-prompt", ...PERMISSIONS, new URL(`../scripts/${script}`, import.meta.url).pathname],
      env: { TMPDIR: temporary },
      stdin: "null",
      signal: AbortSignal.timeout(1_200_000),
    }).output();
    const decoder = new TextDecoder();
    const left = (await Array.fromAsync(Deno.readDir(temporary))).map(({ name }) => name);
    return { code, text: decoder.decode(stdout) + decoder.decode(stderr), left };
  } finally {
    await Deno.remove(temporary, { recursive: true });
  }
}

const PYTHON_SDK = await pythonPackage("mcp", "1.30.0");
if (PYTHON_SDK.problem !== undefined && Deno.env.get("CI") !== undefined) throw new Error(PYTHON_SDK.problem);

/** Why a demonstration cannot run here; undefined: it can. */
const OBSTACLES: Readonly<Record<string, string | undefined>> = {
  "demo/http/demo_http.ts": Deno.build.os === "linux" ? undefined : "isolated sessions need Linux",
  "demo/servers/demo_servers.ts": PYTHON_SDK.problem,
};

for (
  const [script, steps] of [
    ["demo.ts", 6],
    ["demo/http/demo_http.ts", 8],
    ["demo/servers/demo_servers.ts", 6],
    ["demo/toolbox/demo_toolbox.ts", 7],
  ] as const
) {
  const obstacle = OBSTACLES[script];
  Deno.test({
    name: `D3 ${script} shows ${steps} steps that hold, plain in a pipe, and leaves nothing behind${
      obstacle === undefined ? "" : ` (left out: ${obstacle})`
    }`,
    ignore: obstacle !== undefined,
    fn: async () => {
      const { code, text, left } = await run(script);
      assert.strictEqual(code, 0, text);
      const heads = text.split("\n").filter((line) => /^ {2}\d+ {2}\S/.test(line));
      assert.deepStrictEqual(
        heads.map((line) => Number.parseInt(line)),
        Array.from({ length: steps }, (_, i) => i + 1),
      );
      assert.match(text, new RegExp(`All ${steps} steps did what they say`));
      assert.deepStrictEqual([text.includes("✗"), text.includes("\x1b")], [false, false]);
      assert.deepStrictEqual(left, []);
    },
  });
}
