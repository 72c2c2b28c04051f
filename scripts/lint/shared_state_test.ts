import assert from "node:assert/strict";
import { OWN_RUNTIME } from "../gate/own_runtime.ts";
import plugin from "./lint_plugin.ts";

/** Those of the lines that are reported in the file. */
function refused(file: string, lines: readonly string[]): readonly string[] {
  return lines.filter((line) =>
    Deno.lint.runPlugin(plugin, file, line).some(({ id }) => id === "ahma/shared-state-stays")
  );
}

const OF_PROCESS = [
  'Deno.chdir("/");',
  'Deno.env.set("A", "b");',
  'Deno["env"].delete("A");',
  "Deno.umask(0o22);",
  'Deno.addSignalListener("SIGINT", f);',
  'process.on("SIGINT", f);',
  'process.env.A = "b";',
  "delete process.env.A;",
  'Object.assign(process.env, { A: "b" });',
  "Deno.exitCode = 1;",
];
const OF_RUNTIME = [
  "globalThis.fetch = f;",
  "console.log = f;",
  "Deno.remove = f;",
  "Deno.FsFile.prototype.lock = f;",
  "Response.prototype.text = f;",
  "Object.assign(globalThis, { f });",
  'Object.defineProperty(performance, "now", {});',
  'Reflect.deleteProperty(performance, "now");',
  "delete globalThis.f;",
  'globalThis.addEventListener("unload", f);',
  'addEventListener("unload", f);',
  'import { skipping } from "../base/_support/timers.ts";',
];
const FREE = [
  "Deno.umask();",
  'Deno.env.get("A");',
  "a.b = c;",
  "Object.assign({}, globalThis);",
  'signal.addEventListener("abort", f);',
  "const { setTimeout: original } = globalThis;",
  'new Deno.Command("sh", { cwd: "/", env: { A: "b" } });',
];
const [OWN = ""] = OWN_RUNTIME;

Deno.test("G1 shared-state-stays: no test changes its process, nor a unit test the globals of a runtime that it shares", () => {
  for (const file of ["src/base/x_test.ts", "src/base/_support/x.ts", "scripts/x_test.ts"]) {
    assert.deepStrictEqual(
      refused(file, [...OF_PROCESS, ...OF_RUNTIME, ...FREE]),
      [...OF_PROCESS, ...OF_RUNTIME],
      file,
    );
  }
  for (const file of ["tests/x_test.ts", "tests/_support/x.ts", "/r/tests/x_test.ts", OWN, `/r/${OWN}`]) {
    assert.deepStrictEqual(refused(file, [...OF_PROCESS, ...OF_RUNTIME, ...FREE]), OF_PROCESS, file);
  }
  assert.deepStrictEqual(refused("src/base/x.ts", [...OF_PROCESS, ...OF_RUNTIME]), []);
});
