/** The type of a tool as scripts call it, from the schema of its arguments (K11). Pure. */
import type { Tool } from "@modelcontextprotocol/server";
import { isObject } from "../../wire/json_value.ts";

/** Characters of one type, and levels of objects that are written out. */
const LONGEST_TYPE = 600;
const DEEPEST = 3;
const SIMPLE: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
};

/** @example typeText(tool) // "tools.files_read(args: { path: string; limit?: number })" */
export function typeText({ name, inputSchema }: Tool): string {
  const type = typeOf(inputSchema, 0);
  const shown = type.length > LONGEST_TYPE ? "object" : type;
  const called = /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
  return `tools${called}(args: ${shown})`;
}

function typeOf(schema: unknown, level: number): string {
  if (!isObject(schema) || level > DEEPEST) return "unknown";
  const { type, enum: choices, items, properties, required } = schema;
  if (Array.isArray(choices)) return choices.map((one) => JSON.stringify(one)).join(" | ");
  if (type === "array") return `Array<${typeOf(items, level + 1)}>`;
  if (type === "object") {
    if (!isObject(properties)) return "object";
    const needed = Array.isArray(required) ? required : [];
    const members = Object.entries(properties).map(([name, one]) => {
      const key = /^[\w$]+$/.test(name) ? name : JSON.stringify(name);
      return `${key}${needed.includes(name) ? "" : "?"}: ${typeOf(one, level + 1)}`;
    });
    return members.length === 0 ? "{}" : `{ ${members.join("; ")} }`;
  }
  return typeof type === "string" ? SIMPLE[type] ?? "unknown" : "unknown";
}
