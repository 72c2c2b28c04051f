/** What the output of a command says of the paths it names (S15). Pure, and bounded for any text. */
import { pathsInOutput, type Places } from "./mentioned_paths.ts";
import { type ErrorName, errorsIn } from "./printed_errors.ts";

/** What lines that name a path say of it. */
export interface Evidence {
  readonly errors: ReadonlySet<ErrorName>;
  /** A line goes on after the path with a colon and words, as messages do in every language. */
  readonly spokenOf: boolean;
}

/** Longer outputs are searched from their end. */
const MOST_LINES = 200;
/** Warnings are not the cause of a failure (`npm warn`, `WARN`, `warning: unable to access`). */
const WARNING = /\bwarn(?:ing)?\b/i;
const MESSAGE = /:\s+\S/;

/** By path as named, absolute; lines that warn are left out. */
export function evidenceIn(output: string, places: Places): ReadonlyMap<string, Evidence> {
  const found = new Map<string, { errors: Set<ErrorName>; spokenOf: boolean }>();
  for (const line of output.split("\n").slice(-MOST_LINES)) {
    if (!line.includes("/") && !line.includes("..") && !line.includes("~") || WARNING.test(line)) continue;
    const errors = errorsIn(line);
    if (errors.size === 0 && !MESSAGE.test(line)) continue;
    for (const path of pathsInOutput(line, places)) {
      const before = found.get(path) ?? { errors: new Set(), spokenOf: false };
      for (const error of errors) before.errors.add(error);
      found.set(path, { errors: before.errors, spokenOf: before.spokenOf || isSpokenOf(path, line) });
    }
  }
  return found;
}

/** Messages name a path as it was given to them, so its last name is looked for. */
function isSpokenOf(path: string, line: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const at = line.lastIndexOf(name);
  return at >= 0 && MESSAGE.test(line.slice(at + name.length));
}
