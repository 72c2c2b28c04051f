/** All items of one kind of all servers, under our names (O2): rebuilt when a server or other names change. */
import { type NamePrefixes, namePrefixes, type ToolName, toolNames } from "../definitions/tool_names.ts";
import type { ServerSet } from "./server_set.ts";
import type { UpstreamServer } from "./upstream_server.ts";

export interface NamedEntriesOptions<Entry> {
  readonly set: ServerSet;
  /** Names that others have. */
  readonly taken: () => Promise<readonly string[]>;
  /** Longest name, characters. */
  readonly longest: number;
  /** The server's own name of each item, and the item under our name. */
  readonly seen: (server: UpstreamServer) => readonly (readonly [theirs: string, named: (name: ToolName) => Entry])[];
}

export class NamedEntries<Entry> {
  readonly #options: NamedEntriesOptions<Entry>;
  readonly #prefixes: NamePrefixes;
  #made: { readonly basis: string; readonly entries: readonly Entry[] } | undefined;

  constructor(options: NamedEntriesOptions<Entry>) {
    this.#options = options;
    this.#prefixes = namePrefixes(options.set.servers.map(prefixOf));
    options.set.onChange(() => this.#made = undefined);
  }

  /** What is known now, offered or not. */
  async now(): Promise<readonly Entry[]> {
    const { set, taken, longest, seen } = this.#options;
    set.firstUse();
    const names = await taken();
    const basis = JSON.stringify(names);
    if (this.#made?.basis === basis) return this.#made.entries;
    const all = set.servers.flatMap((server) => seen(server).map((one) => [prefixOf(server), ...one] as const));
    const wanted = all.map(([prefix, tool]) => ({ prefix, tool }));
    const entries = toolNames(wanted, { taken: names, longest, prefixes: this.#prefixes })
      .flatMap((name, index) => all[index]?.[2](name) ?? []);
    this.#made = { basis, entries };
    return entries;
  }

  /** Whether a name begins like those of a server. */
  mayBeOf(server: UpstreamServer, name: string): boolean {
    return name.startsWith(`${this.#prefixes.get(prefixOf(server))}_`);
  }
}

function prefixOf({ spec }: UpstreamServer): string {
  return spec.prefix ?? spec.name;
}
