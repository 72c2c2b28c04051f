import assert from "node:assert/strict";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import fc from "fast-check";
import { flatten } from "../catalog/model/flatten.ts";
import { inputSchemaOf } from "../catalog/model/input_schema.ts";
import type { Leaf } from "../catalog/model/leaf.ts";
import { type ToolDefinition, toolSchema } from "../catalog/format/mtdf.ts";
import { checkArguments, describeArgumentProblems } from "./arguments.ts";
import { prepareCommand } from "./command_line.ts";

function leafOf(fields: Readonly<Record<string, unknown>>): Leaf {
  const definition: ToolDefinition = toolSchema().parse({ command: "tool", ...fields });
  const [placed] = flatten(definition, "tool");
  assert.ok(placed);
  return placed.leaf;
}

const LEAF = leafOf({
  options: [
    { name: "no-deps", type: "boolean" },
    { name: "depth", type: "integer", minimum: 1, maximum: 9 },
    { name: "ratio", type: "number" },
    { name: "format", enum: ["human", "json"] },
    { name: "tag", pattern: "^v" },
    { name: "message", file_arg: true },
    { name: "level", env: "LEVEL" },
  ],
  positional_args: [
    { name: "target", required: true },
    { name: "files", type: "array" },
  ],
});

/** The messages for a call that is right but for `wrong`. */
function said(wrong: Readonly<Record<string, unknown>>, leaf: Leaf = LEAF): readonly string[] {
  const checked = checkArguments(leaf, leaf === LEAF ? { target: "all", ...wrong } : wrong);
  const outcome = checked.ok ? prepareCommand(leaf, checked.value) : checked;
  return outcome.ok ? [] : outcome.problem.map(({ message }) => message);
}

const WRONG: readonly (readonly [Readonly<Record<string, unknown>>, string])[] = [
  [{ no_deps: true }, 'Argument "no_deps" is unknown; did you mean "no-deps"?'],
  [
    { zzzzz: 1 },
    'Argument "zzzzz" is unknown: known arguments are no-deps, depth, ratio, format, tag, message, level, target, files, ' +
    "working_directory, timeout_seconds, execution_mode",
  ],
  [{ "no-deps": "true" }, 'Argument "no-deps" is "true", expected true or false'],
  [{ depth: "3" }, 'Argument "depth" is "3", expected a whole number from 1 up to 9 (not in quotes)'],
  [{ depth: 10 }, 'Argument "depth" is 10, expected a whole number from 1 up to 9 (not in quotes)'],
  [{ depth: 1.5 }, 'Argument "depth" is 1.5, expected a whole number from 1 up to 9 (not in quotes)'],
  [
    { depth: 2 ** 53 },
    'Argument "depth" is 9007199254740992: whole numbers beyond 9007199254740991 lose digits in JSON, so it may differ ' +
    "from the one that was sent",
  ],
  [
    { ratio: -1e300 },
    'Argument "ratio" is -1e+300: whole numbers beyond 9007199254740991 lose digits in JSON, so it may differ from the ' +
    "one that was sent",
  ],
  [{ ratio: null }, 'Argument "ratio" is null, expected a number (not in quotes)'],
  [{ format: "xml" }, 'Argument "format" is "xml", expected one of "human", "json"'],
  [{ tag: "1" }, 'Argument "tag" is "1", expected a text that matches ^v'],
  [{ target: ["a"] }, 'Argument "target" is a list, expected a text'],
  [{ files: "a" }, 'Argument "files" is "a", expected a list, each element a text'],
  [{ files: ["a", 1] }, 'Argument "files" is 1, expected a text (element 1 of the list)'],
  [{ target: "a\0b" }, 'Argument "target" holds a NUL character: no program can be given one'],
  [{ tag: "v\ud800" }, 'Argument "tag" holds half a surrogate pair: no program can be given it, send valid Unicode'],
  [
    { files: ["a", "--output=x"] },
    'Argument "files" is "--output=x", which the program would take for an option: use the declared options, or for a ' +
    'file put "./" before it',
  ],
  [{ working_directory: 1 }, 'Argument "working_directory" is 1, expected the path of a directory'],
  [
    { timeout_seconds: "60" },
    'Argument "timeout_seconds" is "60", expected a number of seconds above 0, at most 86400 (not in quotes)',
  ],
  [
    { execution_mode: "async" },
    'Argument "execution_mode" is "async", expected one of "Synchronous", "AsyncResultPush"',
  ],
];

for (const [wrong, message] of WRONG) {
  Deno.test(`T6 checkArguments() refuses ${JSON.stringify(wrong)}`, () =>
    assert.deepStrictEqual(said(wrong), [message]));
}

Deno.test("T6 checkArguments() names every wrong argument once", () => {
  const checked = checkArguments(LEAF, { depth: "3", frmat: "json" });
  assert.ok(!checked.ok);
  assert.equal(
    describeArgumentProblems(LEAF, checked.problem),
    'Cannot run "tool": 3 arguments are wrong\n' +
      '- Argument "frmat" is unknown; did you mean "format"?\n' +
      '- Argument "depth" is "3", expected a whole number from 1 up to 9 (not in quotes)\n' +
      '- Argument "target" is missing, expected a text',
  );
});

Deno.test("T6 checkArguments() refuses what is no object", () => {
  const messages = [null, [], "x", undefined].map((args) => {
    const checked = checkArguments(LEAF, args);
    return checked.ok ? "" : checked.problem[0]?.message;
  });
  assert.deepStrictEqual(messages, [
    "The arguments are null, expected an object",
    "The arguments are a list, expected an object",
    'The arguments are "x", expected an object',
    "The arguments are missing, expected an object",
  ]);
});

Deno.test("T6 X15 checkArguments() takes the meta-parameters out and fills defaults in", () => {
  const leaf = leafOf({
    options: [{ name: "n", type: "integer", default: 5 }, { name: "timeout_seconds", type: "string" }],
    allow_args: true,
    allow_stdin: true,
  });
  const checked = checkArguments(leaf, {
    working_directory: "sub",
    timeout_seconds: 1.5,
    execution_mode: "Synchronous",
    args: ["--raw", "-x"],
    stdin: "text\0",
  });
  assert.deepStrictEqual(checked, {
    ok: true,
    value: {
      values: new Map([["n", 5]]),
      extra: ["--raw", "-x"],
      stdin: "text\0",
      meta: { workingDirectory: "sub", timeoutSeconds: 1.5, executionMode: "Synchronous" },
    },
  });
});

Deno.test("T6 checkArguments() takes stdin and args only where the leaf allows them", () => {
  assert.deepStrictEqual([said({ stdin: "x" }).length, said({ args: ["x"] }).length], [1, 1]);
});

Deno.test("T6 checkArguments() leaves a declared args to the leaf", () => {
  const leaf = leafOf({ options: [{ name: "args", type: "string" }] });
  const checked = checkArguments(leaf, { args: "a b" });
  assert.deepStrictEqual(checked.ok && [checked.value.values.get("args"), checked.value.extra], ["a b", []]);
});

Deno.test("T6 checkArguments() refuses an empty list for a required argument", () => {
  const leaf = leafOf({ positional_args: [{ name: "files", type: "array", required: true }] });
  assert.deepStrictEqual(said({ files: [] }, leaf), [
    'Argument "files" is an empty list, expected at least one element',
  ]);
});

Deno.test("T7 checkArguments() accepts values that begin with - where -- guards them, in files and in variables", () => {
  const leaf = leafOf({
    positional_args: [
      { name: "message", file_arg: true },
      { name: "level", env: "LEVEL" },
    ],
  });
  const guarded = leafOf({ positional_args: [{ name: "file" }], end_of_options: true });
  assert.deepStrictEqual(
    [said({ message: "-m", level: "-l" }, leaf), said({ file: "-f" }, guarded), said({ target: "-" })],
    [[], [], []],
  );
});

Deno.test("T6 prepareCommand() names the argument the kernel would refuse for its length", () => {
  const longest = 131_071;
  assert.deepStrictEqual([said({ target: "x".repeat(longest) }), said({ target: "é".repeat(65_536) })], [[], [
    'Argument "target" has 131072 bytes, at most 131071 can be passed: put it into a file and pass the path',
  ]]);
  assert.deepStrictEqual(said({ level: "x".repeat(longest - "LEVEL=".length + 1) }), [
    'Argument "level" has 131072 bytes, at most 131071 can be passed: shorten it',
  ]);
  assert.deepStrictEqual(said({ message: "x".repeat(longest * 2) }), []);
  assert.deepStrictEqual(said({ files: Array.from({ length: 13 }, () => "x".repeat(130_000)) }), [
    "The arguments have 1690142 bytes together, at most 1572864 can be passed: split the call into several",
  ]);
});

/** A leaf of any shape whose only own rules are those its JSON Schema has too. */
const anyArgument = fc.record({
  type: fc.constantFrom("string", "boolean", "integer", "number", "array"),
  required: fc.integer({ min: 0, max: 5 }).map((chance) => chance === 0),
  minimum: fc.option(fc.integer({ min: -2, max: 2 }), { nil: undefined }),
  items: fc.option(fc.record({ type: fc.constantFrom("string", "integer", "number") }), { nil: undefined }),
  enum: fc.option(fc.constantFrom(["a", "b"], [1, 2]), { nil: undefined }),
  pattern: fc.option(fc.constantFrom("^a", "b+"), { nil: undefined }),
});
const VALUES: readonly unknown[] = ["a", "ab", "b", "", "1", 0, 1, 2, 1.5, true, false, null, [], ["a"], ["b", "a"], [
  1,
]];
const anyValue = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...VALUES) }, fc.jsonValue({ maxDepth: 1 }));

Deno.test("T6 checkArguments() agrees with the JSON Schema of inputSchemaOf()", () => {
  const validator = new AjvJsonSchemaValidator();
  const names = ["one", "two", "three"];
  const call = fc.dictionary(
    fc.constantFrom(
      ...names,
      ...names,
      ...names,
      "other",
      "timeout_seconds",
      "execution_mode",
      "working_directory",
      "args",
    ),
    anyValue,
    { maxKeys: 3 },
  );
  const seen = { true: 0, false: 0 };
  // Several calls for each schema, which takes a hundred times as long to compile as to ask.
  const calls = fc.array(call, { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(fc.tuple(anyArgument, anyArgument, anyArgument), fc.boolean(), calls, (shapes, allow_args, many) => {
      const options = shapes.map((shape, index) => ({ name: names[index], ...shape }));
      const leaf = leafOf(JSON.parse(JSON.stringify({ options, allow_args })));
      const validate = validator.getValidator({ ...inputSchemaOf(leaf) });
      for (const args of many) {
        // The only rules beyond the schema that these values can meet.
        const beyond = JSON.stringify(args).match(/\\u0000|\\ud[89a-f]/i) !== null || args.working_directory === "" ||
          Object.values(args).flat().some((value) => Number.isInteger(value) && !Number.isSafeInteger(value));
        if (beyond) continue;
        const byUs = checkArguments(leaf, args).ok;
        seen[`${byUs}`]++;
        assert.equal(byUs, validate(args).valid, JSON.stringify([options, args]));
      }
    }),
    { numRuns: 250 },
  );
  assert.ok(seen.true > 50 && seen.false > 50, JSON.stringify(seen));
});
