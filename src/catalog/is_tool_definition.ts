import published from "../../schema/mtdf.schema.json" with { type: "json" };
import { compileSchema } from "./json_schema.ts";
import type { ToolDefinition } from "./mtdf.ts";

const test = compileSchema(published);

/** True when a parsed file has the format of the published schema (T3). */
export function isToolDefinition(parsed: unknown): parsed is ToolDefinition {
  return test(parsed);
}
