import published from "../../../schema/mtdf.schema.json" with { type: "json" };
import { compileSchema } from "./json_schema.ts";
import type { ToolDefinition } from "./mtdf.ts";
import { withoutNulls } from "./without_nulls.ts";

const test = compileSchema(published);

/** A parsed file without the optional fields that are `null` (T2); `text` is what it was parsed from. */
export function withoutNullFields(parsed: unknown, text: string): unknown {
  return text.includes("null") ? withoutNulls(parsed, published, published.$defs) : parsed;
}

/** True when a parsed file has the format of the published schema (T3). */
export function isToolDefinition(parsed: unknown): parsed is ToolDefinition {
  return test(parsed);
}
