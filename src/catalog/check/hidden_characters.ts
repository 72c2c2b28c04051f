/**
 * What a tool file hands to the model word by word must be what a person sees in the file (T4): descriptions are cleaned,
 * but a name, a value or a pattern without its hidden characters would be another one.
 */
import { hiddenCharacter } from "../../base/visible_text.ts";
import { errorAt, type UnplacedDiagnostic } from "../format/diagnostic.ts";
import type { ArgumentDefinition } from "../format/mtdf_argument.ts";

/** An error for the first hidden character of each such text of an argument. */
export function hiddenCharacters(
  argument: ArgumentDefinition,
  at: readonly (string | number)[],
): readonly UnplacedDiagnostic[] {
  const { name, alias, pattern, default: given, enum: values } = argument;
  return Object.entries({ name, alias, pattern, default: given, enum: values }).flatMap(([field, value]) => {
    const texts = [value].flat().filter((one) => typeof one === "string");
    // Fields that cannot hold NUL report it themselves.
    const found = texts.map((text) => hiddenCharacter(text.replaceAll("\0", ""))).find((one) => one !== undefined);
    if (found === undefined) return [];
    return [
      errorAt([...at, field], `"${field}" of an argument holds an invisible character (${found}): remove it`),
    ];
  });
}
