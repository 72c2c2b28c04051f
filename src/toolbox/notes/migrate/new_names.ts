/** The names that files of another program get here. Pure. */
import { compareText } from "../../../base/text.ts";
import { nameOf } from "../format/names.ts";

/**
 * A new name for each old one: the same for the same names, so that a second migration finds what the first one made.
 * Where two would have one name, the later of them gets a number.
 */
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
