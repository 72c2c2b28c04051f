import assert from "node:assert/strict";
import { TOOL_GROUPS, toolGroups } from "../../settings/bundles.ts";
import { listedTool } from "./toolbox_source.ts";
import { groupOf, toolsOf } from "../definition/groups.ts";

/** Characters of a token, about. */
const TOKEN = 4;
const MOST_TOKENS = 9_000;
const LONGEST_DESCRIPTION = 400;

Deno.test("K1 the whole toolbox costs a model at most 9,000 tokens, and no description is long", () => {
  const tools = toolsOf(toolGroups(["toolbox"])).map(({ definition }) => listedTool(definition));
  const long = tools.filter(({ description = "" }) => description.length >= LONGEST_DESCRIPTION).map(({ name }) =>
    name
  );
  assert.deepEqual(long, []);
  const tokens = Math.ceil(JSON.stringify(tools).length / TOKEN);
  assert.ok(tokens <= MOST_TOKENS, `${tools.length} tools take ${tokens} tokens`);
});

Deno.test("K1 each native tool has a name of its own, and one group", () => {
  const names = toolsOf(TOOL_GROUPS).map(({ definition }) => definition.name);
  assert.deepEqual(names.filter((name, index) => names.indexOf(name) !== index), []);
  assert.deepEqual(names.filter((name) => groupOf(name) === undefined), []);
});

Deno.test("K1 docs/toolbox.md says of each group what it costs", async () => {
  const page = await Deno.readTextFile(new URL("../../../docs/toolbox.md", import.meta.url));
  const rows = [...page.matchAll(/^\| `(\w+)` +\| (\d+) +\|/gm)].map((
    [, group = "", tokens],
  ) => [group, Number(tokens)]);
  const costs = TOOL_GROUPS.map((group) => {
    const listed = toolsOf([group]).map(({ definition }) => listedTool(definition));
    return [group, Math.round(JSON.stringify(listed).length / TOKEN / 10) * 10];
  });
  assert.deepEqual(rows, costs);
});
