import type { Leaf } from "./leaf.ts";

/** Limits of `timeout_seconds`: a day is the most a call may ask for. */
export const LONGEST_TIMEOUT_SECONDS = 86_400;

/** The values of `execution_mode` (T6). */
export const EXECUTION_MODES = ["Synchronous", "AsyncResultPush"] as const;

/** Parameters that steer a leaf's run and never reach argv, by name, with their JSON Schemas (T6, X15). */
export function metaParametersOf(leaf: Leaf): ReadonlyMap<string, Record<string, unknown>> {
  const parameters = new Map(ALWAYS.map(([name, schema]) => [name, { ...schema }]));
  if (leaf.allowArgs && !declares(leaf, "args")) parameters.set("args", { ...ARGS, items: { type: "string" } });
  if (leaf.allowStdin && !declares(leaf, "stdin")) parameters.set("stdin", { ...STDIN });
  return parameters;
}

/** True for a name that means the meta-parameter even where a tool file declares an argument of that name. */
export function isAlwaysMeta(name: string): boolean {
  return ALWAYS.some(([meta]) => meta === name);
}

const ALWAYS: readonly (readonly [string, Record<string, unknown>])[] = [
  ["working_directory", {
    type: "string",
    description: "Directory to run in, inside the scope.",
  }],
  ["timeout_seconds", {
    type: "number",
    exclusiveMinimum: 0,
    maximum: LONGEST_TIMEOUT_SECONDS,
  }],
  ["execution_mode", {
    type: "string",
    description: "Wait for the result, or get an operation id at once.",
    enum: [...EXECUTION_MODES],
  }],
];
const ARGS: Record<string, unknown> = {
  type: "array",
  description: "Further arguments, passed as they are after the options.",
};
const STDIN: Record<string, unknown> = { type: "string", description: "Text for standard input." };

function declares(leaf: Leaf, name: string): boolean {
  return leaf.options.some((argument) => argument.name === name) ||
    leaf.positionals.some((argument) => argument.name === name);
}
