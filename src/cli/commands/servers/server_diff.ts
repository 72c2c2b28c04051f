/** What servers changed since a person trusted them, for reading. Pure. */
import type { KnownServer } from "../../../app/server_records.ts";
import { canonical, type Definition } from "../../../upstream/definitions/definition.ts";
import type { ServerRecord } from "../../../upstream/definitions/pins.ts";
import { writtenOut } from "../../../base/visible_text.ts";
import { pointerOf } from "../../../catalog/format/diagnostic.ts";

/** Names of the tools that differ from what is trusted, or are new. */
export function changedTools({ seen, pinned, added }: ServerRecord): readonly string[] {
  return seen.filter((tool) => {
    const pin = pinned.find(({ name }) => name === tool.name);
    return added.includes(tool.name) || pin === undefined || canonical(pin) !== canonical(tool);
  }).map(({ name }) => name);
}

/** A heading for each tool that changed, and its lines; a sentence where nothing did. */
export function diffLines(servers: readonly KnownServer[]): string {
  const lines = servers.flatMap(({ spec, record }) => {
    if (record === undefined) return [`${spec.name}: never used`];
    return changedTools(record).flatMap((name) => {
      const isAdded = record.added.includes(name);
      const before = isAdded ? undefined : record.pinned.find((tool) => tool.name === name);
      const after = record.seen.find((tool) => tool.name === name);
      return [`${spec.name} ${writtenOut(name)}: ${isAdded ? "new" : "changed"}`, ...definitionDiff(before, after)];
    });
  });
  return `${lines.length === 0 ? "No server changed what it offers." : lines.join("\n")}\n`;
}

/** The lines `- before` and `+ after` for each member that differs; hidden characters are written out. */
function definitionDiff(before: Definition | undefined, after: Definition | undefined): readonly string[] {
  const old = leaves(before);
  const fresh = leaves(after);
  return [...new Set([...old.keys(), ...fresh.keys()])].filter((path) => old.get(path) !== fresh.get(path))
    .flatMap((path) => [
      `  ${writtenOut(path)}:`,
      ...old.has(path) ? [`  - ${old.get(path)}`] : [],
      ...fresh.has(path) ? [`  + ${fresh.get(path)}`] : [],
    ]);
}

/** Every leaf value by its JSON pointer; without recursion, because the server chooses the depth. */
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
