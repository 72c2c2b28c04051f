/** Changes in a tool since a person trusted it, a line for each text or member (O7). Pure. */
import { writtenOut } from "../../base/visible_text.ts";
import { pointerOf } from "../../catalog/format/diagnostic.ts";
import type { Definition } from "./definition.ts";

/** The lines `- before` and `+ after` for each member that differs; hidden characters are written out. */
export function definitionDiff(before: Definition | undefined, after: Definition | undefined): readonly string[] {
  const old = leaves(before);
  const fresh = leaves(after);
  return [...new Set([...old.keys(), ...fresh.keys()])].filter((path) => old.get(path) !== fresh.get(path))
    .flatMap((path) => [
      `  ${writtenOut(path)}:`,
      ...old.has(path) ? [`  - ${old.get(path)}`] : [],
      ...fresh.has(path) ? [`  + ${fresh.get(path)}`] : [],
    ]);
}

/** Every text, number and so on by its JSON pointer; without recursion, because the depth is the server's choice. */
function leaves(definition: Definition | undefined): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const waiting: { readonly path: readonly string[]; readonly value: unknown }[] = definition === undefined
    ? []
    : [{ path: [], value: { ...definition } }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, value } = next;
    const members = typeof value === "object" && value !== null ? Object.entries(value) : [];
    if (members.length === 0) found.set(pointerOf(path), writtenOut(JSON.stringify(value) ?? "null"));
    for (const [key, one] of members.toReversed()) waiting.push({ path: [...path, key], value: one });
  }
  return found;
}
