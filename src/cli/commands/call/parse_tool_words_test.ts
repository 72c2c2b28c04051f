import assert from "node:assert/strict";
import { type CallShape, readObject, wordsToArguments } from "./parse_tool_words.ts";

const SHAPE: CallShape = {
  tool: "x",
  arguments: [
    { name: "message", type: "string", alias: "m" },
    { name: "all", type: "boolean", alias: "a" },
    { name: "max_count", type: "integer", alias: "n" },
    { name: "ratio", type: "number" },
    { name: "only", type: "array", itemType: "integer" },
    { name: "env", type: "object" },
    { name: "-name", type: "string" },
    { name: "from", type: "string" },
    { name: "paths", type: "array", itemType: "string" },
    { name: "to", type: "string" },
  ],
  positionals: ["from", "paths", "to"],
  rest: undefined,
};

function read(words: readonly string[], shape: CallShape = SHAPE): unknown {
  const outcome = wordsToArguments(shape, words);
  return outcome.ok ? outcome.value.args : outcome.problem;
}

Deno.test("L5 wordsToArguments() reads options of every type, long and short", () => {
  const words = ["--message", "a b", "-a", "-n", "3", "--ratio=0.5", "--only", "1", "--only=2", "--env", "A=b=c"];
  assert.deepStrictEqual(read([...words, "--env=B=", "-name", "*.ts"]), {
    message: "a b",
    all: true,
    max_count: 3,
    ratio: 0.5,
    only: [1, 2],
    env: { A: "b=c", B: "" },
    "-name": "*.ts",
  });
  assert.deepStrictEqual(read(["--max-count", "3", "--all=false"]), { max_count: 3, all: false });
  assert.deepStrictEqual(read(["--max_count=3"]), { max_count: 3 });
});

Deno.test("L5 wordsToArguments() passes on what it cannot read, for the tool's own check", () => {
  assert.deepStrictEqual(read(["--max-count", "many", "--all=maybe", "--ratio", "1e3"]), {
    max_count: "many",
    all: "maybe",
    ratio: 1000,
  });
});

Deno.test("L5 wordsToArguments() deals words out to the positional arguments, a list in the middle takes the most", () => {
  assert.deepStrictEqual(read(["a"]), { from: "a" });
  assert.deepStrictEqual(read(["a", "b"]), { from: "a", paths: ["b"] });
  assert.deepStrictEqual(read(["a", "b", "--all", "c", "d"]), { from: "a", paths: ["b", "c"], to: "d", all: true });
  assert.deepStrictEqual(read(["--from", "f", "b", "c"]), { from: "f", paths: ["b"], to: "c" });
  assert.deepStrictEqual(read(["--", "-a", "--all", "-"]), { from: "-a", paths: ["--all"], to: "-" });
});

Deno.test("L5 wordsToArguments() gives what follows -- to the argument that stands behind it", () => {
  const shape = { ...SHAPE, behindDashes: "paths" };
  assert.deepStrictEqual(read(["--", "a", "b"], shape), { paths: ["a"], to: "b" });
  assert.deepStrictEqual(read(["a", "--", "b"], shape), { from: "a", paths: ["b"] });
  assert.deepStrictEqual(read(["a", "b"], shape), { from: "a", paths: ["b"] });
  assert.match(`${read(["a", "b", "--", "c"], shape)}`, /^Cannot call "x": unexpected word "b": it takes from, see /);
});

Deno.test("L5 wordsToArguments() takes whole objects, and options add to them", () => {
  assert.deepStrictEqual(
    read(["--json", '{"message": "m", "all": true}', "--message", "n"]),
    'Cannot call "x": option "--message": it was already given and takes one value',
  );
  assert.deepStrictEqual(read(['--args-json={"message": "m"}', "-a"]), { message: "m", all: true });
  assert.match(String(read(["--json", "{"])), /^Cannot call "x": option "--json": it is not JSON \(/);
  assert.strictEqual(
    read(["--json", "[]"]),
    `Cannot call "x": option "--json": [] is not a JSON object, as in '{"name": "value"}'`,
  );
});

Deno.test("L5 wordsToArguments() joins a shell line, and hands raw words on where the tool takes them", () => {
  const shell: CallShape = {
    tool: "sandboxed_shell",
    arguments: [{ name: "command", type: "string" }, { name: "working_directory", type: "string" }],
    positionals: ["command"],
    rest: { name: "command", joined: true },
  };
  assert.deepStrictEqual(read(["--working-directory", ".", "--", "echo hi"], shell), {
    working_directory: ".",
    command: "echo hi",
  });
  assert.deepStrictEqual(read(["echo", "a", "b"], shell), { command: "echo a b" });
  const raw: CallShape = {
    tool: "raw",
    arguments: [{ name: "args", type: "array", itemType: "string" }],
    positionals: [],
    rest: { name: "args", joined: false },
  };
  assert.deepStrictEqual(read(["run", "--", "-x"], raw), { args: ["run", "-x"] });
});

Deno.test("L5 wordsToArguments() refuses what the tool does not have", () => {
  assert.strictEqual(read(["--mesage", "m"]), 'Cannot call "x": unknown option "--mesage": did you mean "--message"?');
  assert.strictEqual(read(["-z"]), 'Cannot call "x": unknown option "-z": see "ahma_mcp call x --help"');
  assert.strictEqual(read(["--message"]), 'Cannot call "x": option "--message" needs a value');
  assert.strictEqual(read(["--env", "A"]), 'Cannot call "x": option "--env": "A" is not of the form NAME=VALUE');
  const none = { ...SHAPE, positionals: [] };
  assert.strictEqual(
    read(["a"], none),
    'Cannot call "x": unexpected word "a": it takes options only, see "ahma_mcp call x --help"',
  );
});

Deno.test("readObject() keeps a key such as __proto__ an ordinary key", () => {
  const outcome = readObject('{"__proto__": 1}');
  assert.ok(outcome.ok);
  assert.deepStrictEqual(Object.keys(outcome.value), ["__proto__"]);
});

Deno.test("L5 wordsToArguments() finds the switches of call, unless they are the value of an option or the tool's own", () => {
  const outcome = wordsToArguments(SHAPE, ["--quiet", "--message", "--quiet", "--", "--result-json"]);
  assert.deepStrictEqual(outcome, {
    ok: true,
    value: { args: { message: "--quiet", from: "--result-json" }, switches: ["quiet"] },
  });
  const own = { ...SHAPE, arguments: [{ name: "quiet", type: "boolean" as const }] };
  assert.deepStrictEqual(wordsToArguments(own, ["--quiet"]), {
    ok: true,
    value: { args: { quiet: true }, switches: [] },
  });
});
