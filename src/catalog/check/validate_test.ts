import assert from "node:assert/strict";
import fc from "fast-check";
import { pointerOf } from "../format/diagnostic.ts";
import { parseTool } from "./validate.ts";

/** Severity, pointer and message of everything found in a file. */
async function found(file: unknown): Promise<readonly string[]> {
  const parsed = parseTool(typeof file === "string" ? file : JSON.stringify(file));
  if (parsed.kind === "not_json") return [`not JSON: ${parsed.cause}`];
  const diagnostics = parsed.kind === "malformed" ? await parsed.explain() : parsed.diagnostics;
  return diagnostics.map(({ severity, path, message }) => `${severity} ${pointerOf(path)} ${message}`);
}

/** A file with one synchronous leaf that has these fields. */
function withLeaf(fields: Readonly<Record<string, unknown>>, name = "run"): unknown {
  return { command: "tool", subcommand: [{ name, description: "Does it", synchronous: true, ...fields }] };
}

function withOption(option: Readonly<Record<string, unknown>>): unknown {
  return withLeaf({ options: [{ name: "level", description: "How much", ...option }] });
}

const SCHEMA_ERRORS: readonly (readonly [string, unknown, readonly string[]])[] = [
  ["another value", [], ["error  The file is a list, expected an object"]],
  ["a missing command", {}, ['error /command "command" is missing: add it (a text)']],
  ["an empty command", { command: " " }, [
    'error /command "command" is " ": a command names a program and holds no NUL',
  ]],
  [
    "an unknown field",
    { command: "x", optons: [] },
    ['error /optons Field "optons" is unknown; did you mean "options"?'],
  ],
  [
    "an unknown field of an option",
    withOption({ requird: true }),
    ['error /subcommand/0/options/0/requird Field "requird" is unknown; did you mean "required"?'],
  ],
  [
    "a type of another language",
    withOption({ type: "bool" }),
    [
      'error /subcommand/0/options/0/type "type" is "bool", expected one of "string", "boolean", "integer", "number", ' +
      '"array"; did you mean "boolean"?',
    ],
  ],
  [
    "a list that is none",
    { command: "x", subcommand: {} },
    ['error /subcommand "subcommand" is an object, expected a list'],
  ],
  [
    "a number that is too large",
    { command: "x", timeout_seconds: 1e9 },
    ['error /timeout_seconds "timeout_seconds" is 1000000000, expected at most 86400'],
  ],
  [
    "a name with a space",
    withLeaf({}, "remote add"),
    [
      'error /subcommand/0/name "name" is "remote add": a name holds letters, digits, "_" and "-" only; words that ' +
      'differ from it go into "argv"',
    ],
  ],
  [
    "a default of no possible type",
    withOption({ default: {} }),
    [
      'error /subcommand/0/options/0/default "default" is an object, expected a text or a number or true or false or a list',
    ],
  ],
];

for (const [what, file, expected] of SCHEMA_ERRORS) {
  Deno.test(`T3 T4 parseTool() refuses ${what}`, async () => assert.deepStrictEqual(await found(file), expected));
}

const LEAF = "/subcommand/0";
const OPTION = `${LEAF}/options/0`;
const RULES: readonly (readonly [string, unknown, readonly string[]])[] = [
  [
    "a required positional argument after an optional one",
    withLeaf({ positional_args: [{ name: "a" }, { name: "b", required: true }] }),
    [`error ${LEAF}/positional_args/1 Required positional argument "b" comes after the optional one "a": put it first`],
  ],
  [
    "a default that breaks its type",
    withOption({ type: "integer", default: "3" }),
    [`error ${OPTION}/default Default of argument "level" is "3", expected a whole number (not in quotes)`],
  ],
  [
    "a default outside the enum",
    withOption({ enum: ["a", "b"], default: "c" }),
    [`error ${OPTION}/default Default of argument "level" is "c", expected one of "a", "b"`],
  ],
  [
    "an enum that breaks its type",
    withOption({ type: "integer", enum: ["a"] }),
    [`error ${OPTION}/enum Value "a" in "enum" of argument "level" is not of type integer`],
  ],
  [
    "a pattern that is none",
    withOption({ pattern: "(" }),
    [`error ${OPTION}/pattern Pattern of argument "level" is not a valid regular expression: correct it`],
  ],
  [
    "an argument declared twice",
    withLeaf({ options: [{ name: "a" }], positional_args: [{ name: "a" }] }),
    [`error ${LEAF}/positional_args/0/name Argument "a" is declared twice: rename one`],
  ],
  [
    "a positional flag",
    withLeaf({ positional_args: [{ name: "a", type: "boolean" }] }),
    [`error ${LEAF}/positional_args/0/type Positional argument "a" is a boolean: move it to "options", it is a flag`],
  ],
  [
    "a synchronous leaf that promises to be asynchronous",
    withLeaf({ description: "Builds. Runs asynchronously." }),
    [`error ${LEAF}/description "description" promises asynchronous work and the leaf is synchronous: change one of them`],
  ],
  [
    "-- before options",
    withLeaf({ end_of_options: true, positional_args_first: true }),
    [
      `error ${LEAF}/end_of_options "end_of_options" cannot go with "positional_args_first": options after -- would be ` +
      "arguments",
    ],
  ],
  [
    "-- before a positional argument of a leaf that puts them first",
    withLeaf({ positional_args: [{ name: "a", end_of_options: true }], positional_args_first: true }),
    [
      `error ${LEAF}/positional_args/0/end_of_options "end_of_options" of an argument cannot go with that of its leaf ` +
      'or of an argument before it, or with "positional_args_first": keep one of them',
    ],
  ],
  [
    "-- twice",
    withLeaf({ positional_args: [{ name: "a", end_of_options: true }, { name: "b", end_of_options: true }] }),
    [
      `error ${LEAF}/positional_args/1/end_of_options "end_of_options" of an argument cannot go with that of its leaf ` +
      'or of an argument before it, or with "positional_args_first": keep one of them',
    ],
  ],
  [
    "-- before an option",
    withOption({ end_of_options: true }),
    [
      `error ${OPTION}/end_of_options Option "level" has "end_of_options", which belongs to positional arguments: ` +
      "leave it out",
    ],
  ],
  [
    "a sequence without steps",
    { command: "sequence", description: "Does it", synchronous: true },
    ['error  "sequence" is missing: a tool whose command is "sequence" needs its steps'],
  ],
  [
    "retries of a sequence",
    {
      command: "sequence",
      description: "Does it",
      synchronous: true,
      retry: { max: 1 },
      sequence: [{ tool: "sandboxed_shell", args: { command: "true" } }],
    },
    ['warning /retry "retry" has no effect next to "sequence": each step has the retries of the tool that it calls'],
  ],
];

for (const [what, file, expected] of RULES) {
  Deno.test(`T4 parseTool() refuses ${what}`, async () => assert.deepStrictEqual(await found(file), expected));
}

const WARNINGS: readonly (readonly [string, unknown, readonly string[]])[] = [
  [
    "a background leaf that does not say so",
    withLeaf({ synchronous: false }),
    [
      `warning ${LEAF}/description "description" does not say that the command runs in the background: say so, or set ` +
      '"synchronous": true',
    ],
  ],
  [
    "a path without its format",
    withLeaf({ positional_args: [{ name: "output-file" }] }),
    [`warning ${LEAF}/positional_args/0 Argument "output-file" looks like a path: add "format": "path"`],
  ],
  [
    "an underscore in a subcommand name",
    withLeaf({}, "pr_create"),
    [
      `warning ${LEAF}/name Subcommand name "pr_create" holds "_" and reaches the program as one word: if several are ` +
      'meant, add "argv": ["pr","create"]',
    ],
  ],
  [
    "an unknown format",
    withOption({ format: "path-or-value" }),
    [`warning ${OPTION}/format Format "path-or-value" of argument "level" is unknown: treated as plain text`],
  ],
  [
    "a pattern that is never tried",
    withOption({ pattern: "^(?!-)" }),
    [
      `warning ${OPTION}/pattern Pattern of argument "level" is never used: write it without repeated groups and ` +
      "lookaround",
    ],
  ],
  [
    "a field of the peer that has no effect here",
    { command: "x", description: "Does it", synchronous: true, tool_type: "livelog", livelog: { any: 1 } },
    [
      'warning /tool_type Field "tool_type" has no effect here: remove it',
      'warning /livelog Field "livelog" has no effect here: remove it',
    ],
  ],
  [
    "a subcommand that exists inside a shell only",
    { command: "bash", subcommand: [{ name: "cd", description: "Goes", synchronous: true }] },
    [`warning ${LEAF}/name "cd" is not a program: it only exists inside a shell and has no effect here; remove it`],
  ],
  [
    "subcommands of a program that has none",
    { command: "python3", subcommand: [{ name: "code", description: "Runs", synchronous: true }] },
    [
      `warning ${LEAF}/name python3 has no subcommands and would take "code" for a file: give the words it needs in "argv"`,
    ],
  ],
];

for (const [what, file, expected] of WARNINGS) {
  Deno.test(`T4 parseTool() accepts ${what} with a warning`, async () => {
    assert.deepStrictEqual(await found(file), expected);
    assert.equal((parseTool(JSON.stringify(file))).kind, "accepted");
  });
}

Deno.test("T2 parseTool() takes every field of the format", async () => {
  const argument = {
    name: "a",
    type: "string",
    description: "d",
    required: false,
    default: "x",
    enum: ["x"],
    pattern: "x",
  };
  const common = {
    description: "Does it",
    enabled: true,
    timeout_seconds: 5,
    synchronous: true,
    options: [
      { ...argument, alias: "a", joined: true },
      { name: "n", type: "integer", minimum: 0, maximum: 9, default: 1, env: "N" },
      { name: "f", file_arg: true, file_flag: "-F" },
      { name: "list", type: "array", items: { type: "string", format: "path", description: "d" } },
    ],
    positional_args: [{ name: "p", format: "path" }],
    positional_args_first: false,
    end_of_options: true,
    allow_args: true,
    allow_stdin: true,
    concurrency: "exclusive",
    retry: { max: 1, backoff_ms: 5, on_exit_codes: [1] },
    step_delay_ms: 5,
    availability_check: {
      command: "x",
      args: ["--version"],
      working_directory: ".",
      success_exit_codes: [0],
      skip_subcommand_args: true,
    },
    install_instructions: "Install it",
    guidance_key: "async",
    hints: { build: "b", anything: "c", custom: { default: "d" } },
    input_schema: { type: "object" },
  };
  const step = { tool: "t", subcommand: "x", args: { a: 1 }, description: "d", skip_if_file_exists: "a" };
  const { options: _o, positional_args: _p, positional_args_first: _f, end_of_options: _e, ...ofTool } = common;
  const { allow_args: _a, allow_stdin: _s, ...top } = ofTool;
  const file = {
    $schema: "./x",
    name: "t",
    command: "env tool",
    ...top,
    subcommand: [
      { name: "x", ...common },
      { name: "y", ...common, argv: ["-c"] },
      { name: "s", description: "d", sequence: [step, { tool: "t", skip_if_file_missing: "b" }] },
      { name: "g", subcommand: [{ name: "deep", description: "d" }] },
    ],
  };
  assert.deepStrictEqual(await found(file), []);
});

Deno.test("T4 parseTool() survives a file nested a hundred thousand deep", async () => {
  const depth = 100_000;
  const nested = '{"command":"x","subcommand":[' + '{"name":"a","subcommand":['.repeat(depth) + "]}".repeat(depth) +
    "]}";
  assert.deepStrictEqual(await found(nested), [
    "error /subcommand Subcommands are nested more than 8 deep: flatten them",
  ]);
  assert.equal((parseTool("[".repeat(depth) + "]".repeat(depth))).kind, "malformed");
});

Deno.test("T4 parseTool() never throws, whatever the file holds", async () => {
  const keys = fc.constantFrom(
    "command",
    "subcommand",
    "options",
    "name",
    "type",
    "sequence",
    "hints",
    "__proto__",
    "default",
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "medium" },
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom("sequence", "array", "integer", "default", "a\0b", "\ud800"),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(keys, tie("value"), { maxKeys: 5 }),
    ),
  }));
  await fc.assert(fc.asyncProperty(value, async (any) => void await found(JSON.stringify(any) ?? "null")), {
    numRuns: 500,
  });
  await fc.assert(fc.asyncProperty(fc.string(), async (text) => void await found(text)));
});

/** Every kind of object a tool file may hold. */
const WHOLE = {
  command: "x",
  description: "Runs in the background",
  timeout_seconds: 5,
  hints: { a: "b", custom: { c: "d" } },
  retry: { max: 1, backoff_ms: 5 },
  availability_check: { args: ["a"], success_exit_codes: [0] },
  subcommand: [{
    name: "s",
    description: "Runs in the background",
    options: [{ name: "o", type: "array", items: { type: "string" }, default: ["a"], enum: ["a"], alias: "o" }],
  }, {
    name: "t",
    description: "Runs in the background",
    sequence: [{ tool: "x", subcommand: "s", args: { keep: null, deep: { keep: null } } }],
  }],
};

type Path = readonly (string | number)[];

/** The ways to all members of objects, but for what is below a step's own arguments. */
function members(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null || at.at(-1) === "args") return [];
  if (Array.isArray(value)) return value.flatMap((one, index) => members(one, [...at, index]));
  return Object.entries(value).flatMap(([key, below]) => [[...at, key], ...members(below, [...at, key])]);
}

/** A copy whose member at `path` is `null`, or is not there. */
function changed(path: Path, to: "null" | "absent"): unknown {
  const copy = structuredClone(WHOLE) as unknown;
  let at = copy as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
  const last = path.at(-1) ?? "";
  if (to === "null") at[last] = null;
  else delete at[last];
  return copy;
}

function parsed(file: unknown) {
  const { kind, ...rest } = parseTool(JSON.stringify(file));
  return kind === "accepted" ? rest : "refused";
}

Deno.test("T2 T4 null for an optional field is as good as the field left out, and refused for a required one", () => {
  const refused = members(WHOLE).filter((path) => {
    const [withNull, without] = [parsed(changed(path, "null")), parsed(changed(path, "absent"))];
    assert.deepStrictEqual(withNull, without, path.join("/"));
    return withNull === "refused";
  });
  assert.deepStrictEqual(refused.map((path) => path.join("/")), [
    "command",
    "retry/max",
    "subcommand/0/name",
    "subcommand/0/options/0/name",
    "subcommand/0/options/0/type", // its default is a list
    "subcommand/1/name",
    "subcommand/1/sequence/0/tool",
  ]);
});

Deno.test("T14 null in the arguments of a step stays: they are the step's", () => {
  const parsed = parseTool(JSON.stringify({ ...WHOLE, hints: null }));
  assert.ok(parsed.kind === "accepted");
  assert.deepStrictEqual<unknown>(parsed.definition.subcommand, WHOLE.subcommand);
});
