/** The shipped tool files as a set; tests/tools tries each leaf of each. */
import assert from "node:assert/strict";
import { loadCatalogFromTexts } from "../src/catalog/load/load.ts";
import { BUNDLE_NAMES, embeddedTools } from "../src/settings/bundles.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { Workbench } from "./_support/workbench.ts";
import { GROUPS } from "./tools/groups.ts";
import { couldBeOptions } from "./tools/no_option.ts";

Deno.test("T5 T15 every shipped tool file is tried in a group of its tests", () => {
  const files = Array.from(Deno.readDirSync(new URL("../tools/", import.meta.url)), ({ name }) => name);
  assert.deepStrictEqual(Object.values(GROUPS).flat().map((name) => `${name}.json`).toSorted(), files.toSorted());
  const tests = Array.from(Deno.readDirSync(new URL("tools/", import.meta.url)), ({ name }) => name);
  for (const group of Object.keys(GROUPS)) assert.ok(tests.includes(`${group}_test.ts`), group);
});

/** Their programs take the word behind an option for its value, or refuse it, whatever it begins with. */
const TAKE_NEXT_WORD = "cargo deno docker file-tools gh git gradlew make npm python".split(" ");

Deno.test("T7 T15 no argument of a shipped tool file can become an option that it is not meant as", async () => {
  const names = BUNDLE_NAMES.filter((name) => !TAKE_NEXT_WORD.includes(name));
  const { leaves } = await loadCatalogFromTexts(await embeddedTools(names));
  assert.deepStrictEqual(leaves.flatMap(couldBeOptions), []);
  const { leaves: others } = await loadCatalogFromTexts(await embeddedTools(["git"]));
  assert.ok(others.flatMap(couldBeOptions).includes("git_tag message"));
});

Deno.test("T15 --bundles all offers every shipped file from inside the program, and a local file of the same name wins", async () => {
  using bench = new Workbench();
  const own = { name: "git", command: "echo", description: "Mine", synchronous: true, subcommand: [] };
  bench.write("tools/git.json", JSON.stringify(own));
  await using server = await ServerProcess.start(bench, {
    flags: ["--tools-dir", `${bench.scope}/tools`, "--bundles", "all"],
  });
  const { result } = await server.request("tools/list");
  // The wire format of tools/list.
  const names = (result?.tools as readonly { readonly name: string }[]).map(({ name }) => name);
  assert.deepStrictEqual(names.filter((name) => name.startsWith("git")), ["git"]);
  for (const name of ["deno_test", "npm_run", "file-tools_ls", "quality_check"]) assert.ok(names.includes(name), name);
  assert.match((await server.call("git", { args: ["from here"] })).text, /^from here$/m);
});
