/** Finds what JSON.parse hides: duplicate keys, and code units that are not characters. */
import { errorAt, type UnplacedDiagnostic } from "../format/diagnostic.ts";
import { hiddenCharacter } from "../../base/visible_text.ts";
import type { ArgumentDefinition } from "../format/mtdf_argument.ts";

/** A JSON string and, after a key, its colon. Strings are matched whole, so their content is never taken for a key. */
const STRING_OR_KEY = /"(?:[^"\\]|\\.)*"(\s*:)?/g;
/** The escape of half a surrogate pair; a well-formed file can contain one only in this form. */
const HALF_PAIR = /\\u[dD][89a-fA-F]/;

const MOST_DIAGNOSTICS = 20;
const DEEPEST_SHOWN = 32;

/** Whether an object in the text has a key more than once; `parsed` is the value of the valid JSON `text`. */
export function repeatsKeys(text: string, parsed: unknown): boolean {
  const kept = keysIn(parsed);
  // Nearly every file writes its keys as `"key":`, and has no text that contains this: then the count is enough.
  if (occurrences('":', text) === kept) return false;
  let written = 0;
  for (const [, colon] of text.matchAll(STRING_OR_KEY)) if (colon !== undefined) written++;
  return written > kept;
}

/** An error for each half surrogate pair: no program takes it, and some clients refuse the whole list. */
export function brokenTextDiagnostics(text: string, parsed: unknown): readonly UnplacedDiagnostic[] {
  if (!HALF_PAIR.test(text)) return [];
  const diagnostics: UnplacedDiagnostic[] = [];
  const waiting: Place[] = [{ value: parsed, key: "", above: undefined }];
  for (let place = waiting.pop(); place !== undefined && diagnostics.length < MOST_DIAGNOSTICS; place = waiting.pop()) {
    const { value, key } = place;
    const broken = !String(key).isWellFormed() || typeof value === "string" && !value.isWellFormed();
    if (broken) diagnostics.push(errorAt(pathOf(place), "The text holds half of a surrogate pair: write all of it"));
    if (typeof value !== "object" || value === null) continue;
    const isList = Array.isArray(value);
    for (const [name, child] of Object.entries(value)) {
      waiting.push({ value: child, key: isList ? Number(name) : name, above: place });
    }
  }
  return diagnostics;
}

/** A value and its path, as a chain: the file chooses the depth, and copies of paths would grow with its square. */
interface Place {
  readonly value: unknown;
  readonly key: string | number;
  readonly above: Place | undefined;
}

/** From the top; for very deep places only the beginning. */
function pathOf(place: Place): readonly (string | number)[] {
  const path: (string | number)[] = [];
  for (let at = place; at.above !== undefined; at = at.above) path.push(at.key);
  return path.reverse().slice(0, DEEPEST_SHOWN);
}

function occurrences(part: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++;
  return count;
}

function keysIn(parsed: unknown): number {
  let count = 0;
  const waiting = [parsed];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== "object" || value === null) continue;
    const children = Object.values(value);
    if (!Array.isArray(value)) count += children.length;
    for (const child of children) if (typeof child === "object") waiting.push(child);
  }
  return count;
}

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
