/** What servers changed since a person trusted them, for reading. Pure. */
import type { KnownServer } from "../../../app/server_records.ts";
import { canonical } from "../../../upstream/definitions/definition.ts";
import { definitionDiff } from "../../../upstream/definitions/definition_diff.ts";
import type { ServerRecord } from "../../../upstream/definitions/pins.ts";
import { writtenOut } from "../../../base/visible_text.ts";

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
