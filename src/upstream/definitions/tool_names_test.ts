import { strict as assert } from "node:assert";
import fc from "fast-check";
import { toolNames } from "./tool_names.ts";

Deno.test("O2 names of any tools are unique, well-formed, short, and the same each time", () => {
  const tool = fc.record({ prefix: fc.string(), tool: fc.string({ maxLength: 100 }) });
  fc.assert(fc.property(fc.array(tool), fc.array(fc.stringMatching(/^[a-z]_[a-z]$/)), (tools, taken) => {
    const rules = { taken, longest: 64, prefixes: tools.map(({ prefix }) => prefix) };
    const names = toolNames(tools, rules).map(({ name }) => name);
    assert.deepStrictEqual(names, toolNames(tools, rules).map(({ name }) => name));
    assert.deepStrictEqual(new Set([...names, ...taken]).size, names.length + new Set(taken).size);
    assert.deepStrictEqual(names.filter((name) => !/^[A-Za-z0-9_-]{1,64}$/.test(name)), []);
  }));
});

Deno.test("O2 a name says its server and tool; one that is taken, or too long, ends with its own six characters", () => {
  const named = toolNames(
    [
      { prefix: "git", tool: "status" },
      { prefix: "my.server:1", tool: "a b" },
      { prefix: "my_server_1", tool: "a_b" },
      { prefix: "s", tool: "x".repeat(70) },
    ],
    { taken: ["git_status"], longest: 64, prefixes: [] },
  );
  assert.deepStrictEqual(named.map(({ name, collides }) => [name.replace(/_[0-9a-f]{6}$/, "_#"), collides]), [
    ["git_status_#", true],
    ["my_server_1_a_b", false],
    ["my_server_1_a_b_#", true],
    [`s_${"x".repeat(55)}_#`, false],
  ]);
});

Deno.test("O2 O6 no server takes a name that would be another server's, whether that has such a tool or not", () => {
  const tools = [{ prefix: "good", tool: "evil_tool" }, { prefix: "good", tool: "evil" }];
  const named = toolNames(tools, { taken: [], longest: 64, prefixes: ["good", "good_evil"] });
  assert.deepStrictEqual(named.map(({ name, collides }) => [name.replace(/_[0-9a-f]{6}$/, "_#"), collides]), [
    ["good_evil_tool_#", true],
    ["good_evil", false],
  ]);
});
