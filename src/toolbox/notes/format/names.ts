/** Names of items, which are valid file names on every system. Pure. */
import { failure, type Outcome, success } from "../../../base/outcome.ts";
import { compareText, shownValue } from "../../../base/text.ts";

/** Maximum length of a name without the file extension, characters. */
const LONGEST_NAME = 80;

/** Device names of Windows, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/;

/** Words with a special meaning in references. */
const WORDS: readonly string[] = ["next", "current"];

/**
 * Converts a caller's name into an item name of lower-case letters, digits, `.`, `_` and `-`; empty if nothing is left.
 * The problem says why a name is refused.
 * @example nameOf("Fix: the Login!") // "fix-the-login"
 */
export function nameOf(given: string): Outcome<string> {
  const plain = given.trim();
  if (/^\.|[/\\]\.\.?(?:[/\\]|$)/.test(plain)) return refused(given, "it begins with a dot");
  const name = plain.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().replace(/\.md$/, "")
    .replaceAll(/[^a-z0-9._-]+/g, "-").slice(0, LONGEST_NAME).replaceAll(/^[-.]+|[-.]+$/g, "");
  if (RESERVED.test(name)) return refused(given, "Windows keeps it for a device");
  if (WORDS.includes(name)) return refused(given, `"${name}" stands for another item in a reference`);
  return success(name);
}

function refused(given: string, why: string): Outcome<never> {
  return failure(`name ${shownValue(given)} cannot be used: ${why}; choose another`);
}

/** A new name for each old one, numbered if taken. It is always the same, so that a second migration finds it. */
export function newNames(names: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const found = new Map<string, string>();
  for (const old of names.toSorted(compareText)) {
    const named = nameOf(old);
    const plain = named.ok && named.value !== "" ? named.value : "item";
    let name = plain;
    for (let count = 2; taken.has(name); count++) name = `${plain.slice(0, 70)}-${count}`;
    taken.add(name);
    found.set(old, name);
  }
  return found;
}
