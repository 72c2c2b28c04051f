import type { Leaf, LeafArgument } from "./leaf.ts";
import { metaParametersOf } from "./meta_parameters.ts";

/** The JSON Schema (2020-12) of one tool's arguments, as `tools/list` shows it. */
export interface InputSchema {
  readonly type: "object";
  readonly properties: Record<string, Record<string, unknown>>;
  /** Absent: nothing is required. */
  readonly required?: string[];
  readonly additionalProperties: false;
}

/**
 * The exact schema of a leaf's calls (T6): arguments in file order, then the meta-parameters; always the same text.
 * `format: "path"` is left out: it is not a format of JSON Schema, and strict validators in clients refuse the tool for
 * it.
 */
export function inputSchemaOf(leaf: Leaf): InputSchema {
  const declared = [...leaf.options, ...leaf.positionals];
  const required = declared.filter((argument) => argument.required).map((argument) => argument.name);
  const properties = declared.map((argument) => [argument.name, propertyOf(argument)] as const);
  return {
    type: "object",
    // fromEntries keeps a name such as `__proto__` an ordinary key.
    properties: Object.fromEntries([...properties, ...metaParametersOf(leaf)]),
    ...required.length > 0 && { required },
    additionalProperties: false,
  };
}

function propertyOf(argument: LeafArgument): Record<string, unknown> {
  const description = argument.description === "" ? {} : { description: argument.description };
  const preset = argument.default === undefined ? {} : { default: argument.default };
  if (argument.type !== "array") {
    return { type: argument.type, ...description, ...limitsOf(argument), ...preset };
  }
  const items = argument.items;
  return {
    type: "array",
    ...description,
    items: {
      type: items?.type ?? "string",
      ...items?.description !== undefined && { description: items.description },
      ...limitsOf(argument),
    },
    ...argument.required && { minItems: 1 },
    ...preset,
  };
}

function limitsOf(argument: LeafArgument): Record<string, unknown> {
  const type = argument.type === "array" ? argument.items?.type ?? "string" : argument.type;
  if (type === "boolean") return {};
  const choice = argument.enum === undefined ? {} : { enum: [...argument.enum] };
  if (type === "string") return { ...choice, ...argument.pattern !== undefined && { pattern: argument.pattern } };
  return {
    ...choice,
    ...argument.minimum !== undefined && { minimum: argument.minimum },
    ...argument.maximum !== undefined && { maximum: argument.maximum },
  };
}
