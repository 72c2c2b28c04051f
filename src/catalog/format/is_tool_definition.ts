import published from "../../../schema/mtdf.schema.json" with { type: "json" };
import { compileSchema } from "./json_schema.ts";
import type { ToolDefinition } from "./mtdf.ts";
import { isObject } from "../../wire/json_value.ts";

const test = compileSchema(published);

/** A parsed file without the optional fields that are `null` (T2); `text` is what it was parsed from. */
export function withoutNullFields(parsed: unknown, text: string): unknown {
  return text.includes("null") ? withoutNulls(parsed, published, published.$defs) : parsed;
}

/** True when a parsed file has the format of the published schema (T3). */
export function isToolDefinition(parsed: unknown): parsed is ToolDefinition {
  return test(parsed);
}

type Members = Readonly<Record<string, unknown>>;

/** Without optional `null` members known to `schema`; undescribed parts keep theirs. `definitions`: for `$ref`. */
export function withoutNulls(value: unknown, schema: unknown, definitions: Members): unknown {
  const node = resolved(schema, definitions);
  if (Array.isArray(value)) {
    return node["items"] === undefined ? value : value.map((one) => withoutNulls(one, node["items"], definitions));
  }
  if (!isObject(value)) return value;
  const properties = isObject(node["properties"]) ? node["properties"] : {};
  const required = Array.isArray(node["required"]) ? node["required"] : [];
  const others = node["additionalProperties"];
  const kept = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    const below = Object.hasOwn(properties, key) ? properties[key] : others;
    if (!isObject(below) || Object.keys(below).length === 0) return [[key, member]];
    if (member === null && !required.includes(key)) return [];
    return [[key, withoutNulls(member, below, definitions)]];
  });
  // fromEntries keeps a name such as `__proto__` an ordinary key.
  return Object.fromEntries(kept);
}

function resolved(schema: unknown, definitions: Members): Members {
  if (!isObject(schema)) return {};
  const reference = schema["$ref"];
  const target = typeof reference === "string" ? definitions[reference.replace("#/$defs/", "")] : schema;
  return isObject(target) ? target : {};
}
