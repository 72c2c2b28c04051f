import assert from "node:assert/strict";
import { pointerOf } from "../format/diagnostic.ts";
import { loadCatalogFromTexts } from "./load.ts";
import { StepArguments } from "./step_arguments.ts";

const TARGET = JSON.stringify({
  command: "work",
  description: "Works",
  synchronous: true,
  options: [{ name: "level", type: "integer", minimum: 1 }, {
    name: "mode",
    enum: ["a", "b"],
    default: "a",
    required: true,
  }],
  positional_args: [{ name: "source", required: true }],
});

async function found(args: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const { leaves } = await loadCatalogFromTexts([{ file: "work.json", text: TARGET }]);
  const [target] = leaves;
  assert.ok(target !== undefined);
  const step = { tool: "work", subcommand: "default", args, description: "" };
  return new StepArguments().diagnostics(step, target, ["sequence", 0])
    .map(({ severity, path, message }) => `${severity} ${pointerOf(path)} ${message}`).toArray();
}

Deno.test("T4 T14 StepArguments.diagnostics() is content with what the target takes", async () => {
  assert.deepStrictEqual(await found({ source: "x" }), []);
  assert.deepStrictEqual(await found({ source: "x", level: 2, mode: "b", working_directory: "y" }), []);
});

Deno.test("T4 T14 StepArguments.diagnostics() warns of what the target refuses", async () => {
  assert.deepStrictEqual(await found({}), [
    'warning /sequence/0 "work" refuses this step: argument "source" is missing, expected a text',
  ]);
  assert.deepStrictEqual(await found({ source: "x", level: 0, mdoe: "a" }), [
    'warning /sequence/0/args/level "work" refuses this step: argument "level" is 0, expected a whole number from 1 (not in quotes)',
    'warning /sequence/0/args/mdoe "work" refuses this step: argument "mdoe" is unknown; did you mean "mode"?',
  ]);
});
