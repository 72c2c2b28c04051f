import assert from "node:assert/strict";
import { flatten } from "./flatten.ts";
import type { Leaf } from "./leaf.ts";
import { type ToolDefinition, toolSchema } from "../format/mtdf.ts";

function leavesOf(file: unknown, name = "tool"): readonly Leaf[] {
  const definition: ToolDefinition = toolSchema().parse(file);
  return flatten(definition, name).map(({ leaf }) => leaf);
}

Deno.test("flatten() resolves all that a leaf inherits (T5, X2, X9)", () => {
  const [leaf] = leavesOf({
    command: "cargo +nightly",
    timeout_seconds: 9,
    force_synchronous: true,
    subcommand: [{
      name: "nextest",
      subcommand: [{
        name: "run",
        description: " Run tests. ",
        options: [
          { name: "working_directory", format: "path" },
          { name: "level", alias: "l", enum: ["a"], required: true, joined: true },
        ],
        positional_args: [{ name: "files", type: "array", items: { format: "path" } }],
        end_of_options: true,
      }],
    }],
  });
  assert.deepStrictEqual(leaf, {
    name: "tool_nextest_run",
    tool: "tool",
    path: ["nextest", "run"],
    description: "Run tests.",
    argv: ["cargo", "+nightly", "nextest", "run"],
    options: [{
      name: "level",
      type: "string",
      description: "",
      required: true,
      enum: ["a"],
      alias: "l",
      joined: true,
    }],
    positionals: [{
      name: "files",
      type: "array",
      description: "",
      required: false,
      items: { format: "path" },
    }],
    positionalsFirst: false,
    probe: { kind: "program", program: "cargo" },
    allowArgs: false,
    endOfOptions: true,
    allowStdin: false,
    synchronous: true,
    timeoutSeconds: 9,
    sequence: [],
    stepDelayMs: 100,
  });
});

Deno.test("T5 flatten() names leaves, with default as the parent's own name", () => {
  const file = {
    command: "x",
    subcommand: [
      { name: "default" },
      { name: "a" },
      { name: "b", subcommand: [{ name: "default" }, { name: "c" }] },
    ],
  };
  assert.deepStrictEqual(leavesOf(file).map(({ name, argv }) => [name, argv]), [
    ["tool", ["x"]],
    ["tool_a", ["x", "a"]],
    ["tool_b", ["x", "b"]],
    ["tool_b_c", ["x", "b", "c"]],
  ]);
});

Deno.test("T10 flatten() leaves out what is switched off, and a group with it", () => {
  const file = {
    command: "x",
    subcommand: [{ name: "a", enabled: false }, { name: "b", enabled: false, subcommand: [{ name: "c" }] }],
  };
  assert.deepStrictEqual([leavesOf(file), leavesOf({ command: "x", enabled: false })], [[], []]);
});

Deno.test("T2 flatten() lets argv replace the subcommand words", () => {
  const file = { command: "python", subcommand: [{ name: "code", argv: ["-c"] }, { name: "repl", argv: [] }] };
  assert.deepStrictEqual(leavesOf(file).map(({ argv }) => argv), [["python", "-c"], ["python"]]);
});

Deno.test("T8 flatten() runs the program a shell's subcommand names, and keeps a shell that was asked for", () => {
  const argvOf = (command: string, subcommand: unknown) => leavesOf({ command, subcommand: [subcommand] })[0]?.argv;
  assert.deepStrictEqual([
    argvOf("/bin/sh", { name: "ls" }),
    argvOf("bash", { name: "x", argv: ["grep", "-r"] }),
    argvOf("bash -c", { name: "default" }),
    argvOf("sh", { name: "script", argv: ["-c"] }),
    argvOf("./gradlew", { name: "build" }),
  ], [["ls"], ["grep", "-r"], ["bash", "-c"], ["sh", "-c"], ["./gradlew", "build"]]);
});

Deno.test("T13 flatten() adds the hint for a leaf to its description", () => {
  const file = {
    command: "x",
    hints: { custom: { default: "Try a first." }, a: "Quick." },
    subcommand: [
      { name: "a", description: "A", synchronous: true },
      { name: "b", description: "B" },
      { name: "c", description: "C", synchronous: true, hints: { default: "Own." } },
    ],
  };
  assert.deepStrictEqual(leavesOf(file).map(({ description }) => description), [
    "A\n\nQuick.",
    "B\n\nTry a first.",
    "C\n\nOwn.",
  ]);
});

Deno.test("T6 flatten() accepts raw arguments where said, or where no option is declared", () => {
  const file = {
    command: "x",
    subcommand: [
      { name: "a" },
      { name: "b", options: [{ name: "working_directory" }] },
      { name: "c", options: [{ name: "o" }] },
      { name: "d", options: [{ name: "o" }], allow_args: true },
      { name: "e", allow_args: false },
    ],
  };
  assert.deepStrictEqual(leavesOf(file).map(({ allowArgs }) => allowArgs), [true, true, false, true, false]);
});

Deno.test("T14 flatten() gives sequences their steps, those of the tool to its subcommands too", () => {
  const step = { tool: "cargo", subcommand: "fmt", args: { all: true }, skip_if_file_missing: "Cargo.toml" };
  const file = { command: "sequence", step_delay_ms: 5, sequence: [step], subcommand: [{ name: "run" }] };
  const expected = {
    tool: "cargo",
    subcommand: "fmt",
    args: { all: true },
    description: "",
    skip_if_file_missing: "Cargo.toml",
  };
  assert.deepStrictEqual(
    leavesOf(file).map(({ name, argv, sequence, stepDelayMs }) => [name, argv, sequence, stepDelayMs]),
    [["tool", [], [expected], 5], ["tool_run", [], [expected], 5]],
  );
});
