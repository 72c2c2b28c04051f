import { strict as assert } from "node:assert";
import fc from "fast-check";
import { type NamelessTool, namePrefixes, toolNames } from "./tool_names.ts";

/** Words with which names collide: of few letters, with what is replaced, and any. */
const word = fc.oneof(fc.stringMatching(/^[ab_.-]{1,5}$/), fc.string({ minLength: 1, maxLength: 100 }));
const prefixes = fc.uniqueArray(word, { maxLength: 6 });

function clean(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]/g, "_");
}

/** Names of tools without their own six characters. */
function named(tools: readonly NamelessTool[], taken: readonly string[] = [], more: readonly string[] = []) {
  const all = namePrefixes([...tools.map(({ prefix }) => prefix), ...more]);
  return toolNames(tools, { taken, longest: 64, prefixes: all }).map(({ name, collides }) => [
    name.replace(/_[0-9a-f]{6}(?=_|$)/, "_#"),
    collides,
  ]);
}

Deno.test("O2 names of any tools are unique, well-formed, short, and the same each time", () => {
  const tool = fc.record({ prefix: word, tool: word });
  fc.assert(fc.property(fc.array(tool), fc.array(fc.stringMatching(/^[a-z]_[a-z]$/)), (tools, taken) => {
    const rules = { taken, longest: 64, prefixes: namePrefixes(tools.map(({ prefix }) => prefix)) };
    const names = toolNames(tools, rules).map(({ name }) => name);
    assert.deepStrictEqual(names, toolNames(tools, rules).map(({ name }) => name));
    assert.deepStrictEqual(new Set([...names, ...taken]).size, names.length + new Set(taken).size);
    assert.deepStrictEqual(names.filter((name) => !/^[A-Za-z0-9_-]{1,64}$/.test(name)), []);
  }));
});

Deno.test("O2 O6 no tool has a name that begins like another server's, whatever servers and tools are called", () => {
  fc.assert(fc.property(prefixes, fc.array(word, { maxLength: 5 }), (all, words) => {
    const chosen = namePrefixes(all);
    // What a server may call a tool to get the name of another server's.
    const tools = all.flatMap((prefix) =>
      [...words, ...all, ...all.map((other) => other.slice(prefix.length + 1)), ...all.map((other) => `${other}_x`)]
        .map((tool) => ({ prefix, tool }))
    );
    const names = toolNames(tools, { taken: [], longest: 64, prefixes: chosen }).map(({ name }) => name);
    for (const [at, { prefix }] of tools.entries()) {
      const others = all.filter((other) => other !== prefix);
      const theirs = others.flatMap((other) => [
        chosen.get(other) ?? "",
        // The first of several that are written alike keeps its name.
        ...clean(other) === chosen.get(prefix) ? [] : [clean(other)],
      ]);
      assert.deepStrictEqual(theirs.filter((other) => names[at]?.startsWith(`${other}_`)), [], names[at]);
    }
  }));
});

Deno.test("O2 where no server's name begins like another's, names are those of server and tool", () => {
  fc.assert(fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z-]{1,8}$/)), (all) => {
    assert.deepStrictEqual([...namePrefixes(all)], all.map((prefix) => [prefix, prefix]));
    const tools = all.map((prefix) => ({ prefix, tool: "get_it" }));
    assert.deepStrictEqual(named(tools), all.map((prefix) => [`${prefix}_get_it`, false]));
  }));
});

Deno.test("O2 a name says its server and tool; one that is taken, or too long, ends with its own six characters", () => {
  const tools = [
    { prefix: "git", tool: "status" },
    { prefix: "my.server:1", tool: "a b" },
    { prefix: "my.server:1", tool: "a_b" },
    { prefix: "my_server_1", tool: "a_b" },
    { prefix: "s", tool: "x".repeat(70) },
  ];
  assert.deepStrictEqual(named(tools, ["git_status"]), [
    ["git_status_#", true],
    ["my_server_1_a_b", false],
    ["my_server_1_a_b_#", true],
    ["my-server-1_a_b", false],
    [`s_${"x".repeat(55)}_#`, false],
  ]);
});

Deno.test("O2 O6 no server takes a name that would be another server's, whether that has such a tool or not", () => {
  const tools = [
    { prefix: "good", tool: "evil_tool" },
    { prefix: "good", tool: "evil" },
    { prefix: "good_evil", tool: "tool" },
  ];
  assert.deepStrictEqual(named(tools), [["good_#_evil_tool", true], ["good_evil", false], ["good-evil_tool", false]]);
  assert.deepStrictEqual([...namePrefixes(["a", "a_b", "a-b", "a", "a_b_c", "b"])], [
    ["a", "a"],
    ["a_b", `a-b-${namePrefixes(["a", "a_b", "a-b"]).get("a_b")?.slice(-6)}`],
    ["a-b", "a-b"],
    ["a_b_c", "a-b-c"],
    ["b", "b"],
  ]);
});
