import assert from "node:assert/strict";
import { Libc } from "../../system/libc.ts";
import { type ScopeChoice, settleScopes } from "./resolve_scopes.ts";

async function withHome(
  test: (base: string, settle: (change: Partial<ScopeChoice>) => unknown) => void,
): Promise<void> {
  const base = await Deno.realPath(await Deno.makeTempDir());
  await Deno.mkdir(`${base}/home/project/sub`, { recursive: true });
  await Deno.symlink(`${base}/home/project`, `${base}/link`);
  await Deno.writeTextFile(`${base}/file`, "");
  const libc = new Libc();
  try {
    test(base, (change) => {
      const choice = { scopes: [], workingDirectory: `${base}/home/project`, home: `${base}/home`, allowBroad: false };
      const settled = settleScopes({ ...choice, ...change }, libc);
      return settled.ok ? settled.value.map(({ path }) => path) : settled.problem;
    });
  } finally {
    libc[Symbol.dispose]();
    await Deno.remove(base, { recursive: true });
  }
}

Deno.test("S1 settleScopes() takes the working directory where nothing is given, else what is given, links resolved", () =>
  withHome((base, settle) => {
    assert.deepStrictEqual(settle({}), [`${base}/home/project`]);
    assert.deepStrictEqual(settle({ scopes: ["sub", `${base}/link`, `${base}/home/project`] }), [
      `${base}/home/project/sub`,
      `${base}/home/project`,
    ]);
  }));

Deno.test("S1 settleScopes() refuses what is not a directory", () =>
  withHome((base, settle) => {
    assert.deepStrictEqual(settle({ scopes: [""] }), "Cannot use an empty path as the sandbox scope: name a directory");
    for (const scope of [`${base}/file`, `${base}/none`, `${base}/file/x`]) {
      assert.deepStrictEqual(
        settle({ scopes: [scope] }),
        `Cannot use "${scope}" as the sandbox scope: it is not an existing directory`,
      );
    }
  }));

Deno.test("S1 settleScopes() refuses home and what holds it, unless --allow-broad-scope, and the root always", () =>
  withHome((base, settle) => {
    for (
      const [scope, what] of [[`${base}/home`, "the home directory"], [
        `${base}/home/project/../..`,
        "a directory that holds the home directory",
      ]]
    ) {
      assert.match(
        String(settle({ scopes: [scope ?? ""] })),
        new RegExp(`it is ${what}\\..*--allow-broad-scope, .*DENO_DIR`),
      );
    }
    assert.deepStrictEqual(settle({ scopes: [`${base}/home`], allowBroad: true }), [`${base}/home`]);
    for (const allowBroad of [false, true]) {
      assert.match(
        String(settle({ scopes: ["/"], home: "/", allowBroad })),
        /it is the whole file system, .*--no-sandbox/,
      );
    }
  }));
