import assert from "node:assert/strict";
import { UserError } from "../base/errors.ts";
import { parseTool } from "../catalog/check/validate.ts";
import { BUNDLE_NAMES, embeddedTools, TOOL_GROUPS, toolGroups } from "./bundles.ts";

const TOOLS = new URL("../../tools/", import.meta.url);

Deno.test("T15 embeddedTools() holds every shipped tool file as it is", async () => {
  const files = (await Array.fromAsync(Deno.readDir(TOOLS), (entry) => entry.name)).sort();
  assert.deepStrictEqual([...BUNDLE_NAMES].map((name) => `${name}.json`), files);
  const expected = await Promise.all(files.map(async (file) => {
    return { file, text: await Deno.readTextFile(new URL(file, TOOLS)) };
  }));
  assert.deepStrictEqual(await embeddedTools(["all"]), expected);
  // Nothing is checked in them at a start (catalog/load/load.ts).
  const parsed = expected.map(({ text }) => parseTool(text));
  assert.deepStrictEqual(
    parsed.map((tool) => tool.kind === "accepted" && !tool.repeatsKeys && tool.diagnostics),
    expected.map(() => []),
  );
});

Deno.test("T15 embeddedTools() gives the named ones once, in the order asked for", async () => {
  const tools = await embeddedTools(["npm", "git", "npm"]);
  assert.deepStrictEqual(tools.map((tool) => tool.file), ["npm.json", "git.json"]);
});

Deno.test("T15 embeddedTools() refuses an unknown name with a suggestion", async () => {
  await assert.rejects(embeddedTools(["gti"]), (thrown) => {
    assert.ok(thrown instanceof UserError);
    assert.match(
      thrown.message,
      /^Cannot offer bundle "gti": expected one of .*"all", .*"toolbox"; did you mean "git"\?$/,
    );
    return true;
  });
  // A name that every object has.
  await assert.rejects(embeddedTools(["constructor"]), /Cannot offer bundle "constructor": expected one of /);
});

Deno.test("K1 toolGroups() finds the groups of native tools among the names, which are not tool files", async () => {
  assert.deepStrictEqual(toolGroups(["git", "files"]), ["files"]);
  assert.deepStrictEqual(toolGroups(["toolbox"]), TOOL_GROUPS.filter((group) => group !== "files_patch"));
  assert.deepStrictEqual(toolGroups(["files_patch", "git"]), ["files_patch"]);
  assert.deepStrictEqual((await embeddedTools(["files", "git", "toolbox"])).map(({ file }) => file), ["git.json"]);
});
