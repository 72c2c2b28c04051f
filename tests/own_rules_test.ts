/** The rules of .ahma/rules and those of the program, over this repository: `ahma_mcp rules check` (K8). */
import assert from "node:assert/strict";
import { ROOT } from "./_support/repository.ts";
import { runProgram } from "./_support/terminal.ts";
import { Workbench } from "./_support/workbench.ts";

Deno.test("K8 the rules find nothing in this repository, and each of its own is sound", async () => {
  using bench = new Workbench();
  const { stdout, code } = await runProgram(bench, ["rules", "check", "--quiet"], { directory: ROOT.pathname });
  assert.match(stdout, /^No finding; 16 rules, \d{4} files\.\n\d+ reviews without a verdict\.\n$/);
  assert.equal(code, 0);
});
