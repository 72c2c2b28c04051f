import { visibleText } from "../../base/visible_text.ts";
import type { LeafArgument } from "./leaf.ts";
import type { ArgumentDefinition } from "../format/mtdf_argument.ts";

/** An argument of a tool file with its defaults applied (T2). */
export function argumentOf(definition: ArgumentDefinition): LeafArgument {
  const items = definition.items;
  return {
    name: definition.name,
    type: definition.type ?? "string",
    description: visibleText(definition.description ?? ""),
    // An argument with a default is never missing.
    required: definition.required === true && definition.default === undefined,
    fileArg: definition.file_arg ?? false,
    ...definition.default !== undefined && { default: definition.default },
    ...definition.enum && { enum: definition.enum },
    ...definition.minimum !== undefined && { minimum: definition.minimum },
    ...definition.maximum !== undefined && { maximum: definition.maximum },
    ...definition.pattern !== undefined && { pattern: definition.pattern },
    ...definition.format === "path" && { format: "path" as const },
    ...items && {
      items: {
        type: items.type ?? "string",
        ...items.format === "path" && { format: "path" as const },
        ...items.description !== undefined && { description: visibleText(items.description) },
      },
    },
    ...definition.alias !== undefined && { alias: definition.alias },
    ...definition.joined === true && { joined: true },
    ...definition.file_flag !== undefined && { fileFlag: definition.file_flag },
    ...definition.env !== undefined && { env: definition.env },
  };
}
