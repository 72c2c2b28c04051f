import assert from "node:assert/strict";
import fc from "fast-check";
import { flatten } from "../catalog/model/flatten.ts";
import type { Leaf } from "../catalog/model/leaf.ts";
import { toolSchema } from "../catalog/format/mtdf.ts";
import { checkArguments } from "./arguments.ts";
import { prepareCommand } from "./command_line.ts";
import type { PreparedCommand } from "./prepared_command.ts";

function leafOf(fields: Readonly<Record<string, unknown>>): Leaf {
  const [placed] = flatten(toolSchema().parse({ command: "tool", ...fields }), "tool");
  assert.ok(placed);
  return placed.leaf;
}

function prepared(fields: Readonly<Record<string, unknown>>, args: Readonly<Record<string, unknown>>): PreparedCommand {
  const leaf = leafOf(fields);
  const checked = checkArguments(leaf, args);
  assert.ok(checked.ok, checked.ok ? "" : JSON.stringify(checked.problem));
  const command = prepareCommand(leaf, checked.value);
  assert.ok(command.ok, command.ok ? "" : JSON.stringify(command.problem));
  return command.value;
}

/** The argv after the program. */
function argvOf(fields: Readonly<Record<string, unknown>>, args: Readonly<Record<string, unknown>>): unknown {
  return prepared(fields, args).argv.slice(1);
}

Deno.test("T7 prepareCommand() spells flags, values, lists and aliases", () => {
  const options = [
    { name: "release", type: "boolean" },
    { name: "all", alias: "a", type: "boolean" },
    { name: "quiet", type: "boolean" },
    { name: "bin" },
    { name: "message", alias: "m" },
    { name: "depth", type: "integer" },
    { name: "ignore", type: "array" },
    { name: "-name" },
    { name: "color", joined: true },
    { name: "unified", alias: "U", joined: true, type: "integer" },
  ];
  const args = {
    unified: 3,
    color: "no",
    "-name": "*.ts",
    ignore: ["x", "y"],
    depth: 9007199254740991,
    message: "two\nlines",
    bin: "-b",
    quiet: false,
    all: true,
    release: true,
  };
  assert.deepStrictEqual(argvOf({ options }, args), [
    "--release",
    "-a",
    "--bin",
    "-b",
    "-m",
    "two\nlines",
    "--depth",
    "9007199254740991",
    "--ignore",
    "x",
    "--ignore",
    "y",
    "-name",
    "*.ts",
    "--color=no",
    "-U3",
  ]);
});

Deno.test("T7 prepareCommand() puts positional arguments after the options, or first, or behind --", () => {
  const base = {
    options: [{ name: "o" }],
    positional_args: [{ name: "a" }, { name: "list", type: "array" }],
    allow_args: true,
  };
  const args = { list: ["x", "y"], a: "1", o: "v", args: ["-e"] };
  const later = { ...base, positional_args: [{ name: "a" }, { name: "list", type: "array", end_of_options: true }] };
  assert.deepStrictEqual([
    argvOf(later, { ...args, list: ["-x", "y"] }),
    argvOf(later, { a: "1" }),
    argvOf(later, { list: ["x"] }),
    checkArguments(leafOf(later), { a: "-1", list: ["-x"] }).ok,
    argvOf(base, args),
    argvOf({ ...base, positional_args_first: true }, args),
    argvOf({ ...base, end_of_options: true }, args),
    argvOf({ ...base, end_of_options: true }, { o: "v" }),
  ], [
    ["--o", "v", "-e", "1", "--", "-x", "y"],
    ["1"],
    ["--", "x"],
    false,
    ["--o", "v", "1", "x", "y", "-e"],
    ["1", "x", "y", "--o", "v", "-e"],
    ["--o", "v", "-e", "--", "1", "x", "y"],
    ["--o", "v"],
  ]);
});

Deno.test("T7 T9 prepareCommand() passes files, variables, stdin and paths apart from argv", () => {
  const fields = {
    options: [
      { name: "message", alias: "m", file_arg: true, file_flag: "-F" },
      { name: "body", file_arg: true },
      { name: "level", env: "LEVEL" },
      { name: "loud", type: "boolean", env: "LOUD" },
      { name: "config", format: "path" },
    ],
    positional_args: [{ name: "files", type: "array", items: { format: "path" } }],
    allow_stdin: true,
  };
  const args = {
    message: "-a\n'b'",
    body: "",
    level: "x=y",
    loud: true,
    config: "./c",
    files: ["d", "e"],
    stdin: "in",
  };
  assert.deepStrictEqual(prepared(fields, args), {
    argv: ["tool", "-F", { file: 0 }, "--body", { file: 1 }, "--config", "./c", "d", "e"],
    environment: { LEVEL: "x=y", LOUD: "1" },
    files: ["-a\n'b'", ""],
    paths: [
      { argument: "config", value: "./c" },
      { argument: "files", value: "d" },
      { argument: "files", value: "e" },
    ],
    stdin: "in",
  });
});

Deno.test("T7 prepareCommand() passes a default unless the call says otherwise", () => {
  const fields = {
    options: [{ name: "n", type: "integer", default: 5 }, { name: "on", type: "boolean", default: true }],
  };
  assert.deepStrictEqual([argvOf(fields, {}), argvOf(fields, { n: 6, on: false })], [["--n", "5", "--on"], [
    "--n",
    "6",
  ]]);
});

Deno.test("T8 prepareCommand() keeps several words and the script of a shell as written", () => {
  const fields = { command: "bash -c", positional_args: [{ name: "script", required: true }], allow_args: false };
  assert.deepStrictEqual(prepared(fields, { script: 'echo "$HOME"; ls *' }).argv, ["bash", "-c", 'echo "$HOME"; ls *']);
});

Deno.test("prepareCommand() throws for a sequence", () => {
  const leaf = leafOf({ command: "sequence", sequence: [{ tool: "a" }] });
  const checked = checkArguments(leaf, {});
  assert.ok(checked.ok);
  assert.throws(() => prepareCommand(leaf, checked.value), RangeError);
});

/** Any text a program can be given; with the shapes that break quoting more often than chance has them. */
const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "",
    " ",
    "a b",
    "$(id)",
    "`id`",
    "'",
    '"',
    "\\",
    "*",
    "~",
    "\n",
    "\r\n",
    "--x",
    "-",
    "=",
    "é",
    "👍",
    "&& x",
  ),
).filter((text) => text.isWellFormed() && !text.includes("\0"));

Deno.test("T7 prepareCommand() brings every text into argv byte for byte", () => {
  const fields = {
    options: [
      { name: "plain" },
      { name: "short", alias: "s" },
      { name: "list", type: "array", alias: "l" },
      { name: "-dash" },
      { name: "joined", joined: true },
      { name: "file", file_arg: true, file_flag: "-F" },
      { name: "variable", env: "V" },
    ],
    positional_args: [{ name: "first", required: true }, { name: "rest", type: "array" }],
    end_of_options: true,
    allow_args: true,
  };
  const call = fc.record({
    plain: anyText,
    short: anyText,
    list: fc.array(anyText),
    "-dash": anyText,
    joined: anyText,
    file: anyText,
    variable: anyText,
    first: anyText,
    rest: fc.array(anyText),
    args: fc.array(anyText),
  });
  fc.assert(fc.property(call, (args) => {
    const { argv, environment, files } = prepared(fields, args);
    assert.deepStrictEqual(argv, [
      "tool",
      "--plain",
      args.plain,
      "-s",
      args.short,
      ...args.list.flatMap((text) => ["-l", text]),
      "-dash",
      args["-dash"],
      `--joined=${args.joined}`,
      "-F",
      { file: 0 },
      ...args.args,
      "--",
      args.first,
      ...args.rest,
    ]);
    assert.deepStrictEqual([files, environment], [[args.file], { V: args.variable }]);
  }));
});

Deno.test("T6 T7 prepareCommand() never lets a meta-parameter into argv, whatever the order of the call", () => {
  const meta = {
    working_directory: "META-directory",
    timeout_seconds: 86_399,
    execution_mode: "AsyncResultPush",
    stdin: "META-stdin",
  };
  const fields = {
    options: [{ name: "o" }, { name: "working_directory", format: "path" }, {
      name: "timeout_seconds",
      type: "integer",
    }],
    positional_args: [{ name: "p" }],
    allow_stdin: true,
  };
  const entries = Object.entries({ ...meta, o: "value", p: "place" });
  fc.assert(fc.property(fc.shuffledSubarray(entries, { minLength: entries.length }), (shuffled) => {
    const { argv, environment, files } = prepared(fields, Object.fromEntries(shuffled));
    assert.deepStrictEqual([argv, environment, files], [["tool", "--o", "value", "place"], {}, []]);
  }));
});
