import { visibleText } from "../../base/visible_text.ts";
import type { LeafArgument } from "./leaf.ts";
import type { ArgumentDefinition } from "../format/mtdf_argument.ts";

/** An argument of a tool file with its defaults applied (T2). */
export function argumentOf({ items, ...definition }: ArgumentDefinition): LeafArgument {
  return {
    ...definition,
    type: definition.type ?? "string",
    description: visibleText(definition.description ?? ""),
    // An argument with a default is never missing.
    required: definition.required === true && definition.default === undefined,
    ...items && {
      items: { ...items, ...items.description !== undefined && { description: visibleText(items.description) } },
    },
  };
}
