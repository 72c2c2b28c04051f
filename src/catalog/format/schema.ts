import * as z from "zod";
import { toolSchema } from "./mtdf.ts";

/** The published JSON Schema (2020-12) of a tool file as text, with a final line feed (requirement T3). */
export function mtdfSchemaText(): string {
  return JSON.stringify(z.toJSONSchema(toolSchema(), { target: "draft-2020-12" }), null, 2) + "\n";
}
