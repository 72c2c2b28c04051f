/** All servers together, as sources of tools, resources and prompts see them, and our names for items (O2). */
import type { LoggingLevel } from "@modelcontextprotocol/server";
import { Emitter, type Unsubscribe } from "../../base/emitter.ts";
import { messageOf } from "../../base/errors.ts";
import { lazy } from "../../base/lazy.ts";
import type { Logger } from "../../base/log.ts";
import { withTimeout } from "../../base/time.ts";
import { isAtLeast } from "../../service/sdk/log_level.ts";
import type { ClientOffers } from "../../service/questions/question.ts";
import { type NamePrefixes, namePrefixes, type ToolName, toolNames } from "../definitions/tool_names.ts";
import type { UpstreamServer } from "./upstream_server.ts";

/** How long the first list after a start waits for unknown servers, milliseconds. */
const FIRST_LIST_MS = 3_000;

/** A notification of a server other than a change of a list. */
export interface ServerNotice {
  readonly server: UpstreamServer;
  readonly method: string;
  readonly params: unknown;
}

export interface ServerSetOptions {
  /** In the order of the configuration. */
  readonly servers: readonly UpstreamServer[];
  /** Called once, at the first use of any server. */
  readonly onFirstUse: () => void;
  readonly log: Logger;
}

export class ServerSet {
  readonly servers: readonly UpstreamServer[];
  /** Must be called before any server is used. */
  readonly firstUse: () => void;
  readonly #changes: Emitter<undefined>;
  readonly #notices: Emitter<ServerNotice>;
  #learned: Promise<unknown> | undefined;
  #level: LoggingLevel | undefined;

  constructor({ servers, onFirstUse, log }: ServerSetOptions) {
    this.servers = servers;
    this.firstUse = lazy(onFirstUse);
    const report = (thrown: unknown) => log.error("A listener of servers threw", { error: messageOf(thrown) });
    this.#changes = new Emitter(report);
    this.#notices = new Emitter(report);
  }

  /** Asks unknown servers once; slower ones appear later as a list change. */
  async learned(): Promise<void> {
    this.firstUse();
    this.#learned ??= withTimeout(
      Promise.all(this.servers.filter(({ record }) => record === undefined).map((server) => server.learn())),
      FIRST_LIST_MS,
    );
    await this.#learned;
  }

  /** Notes what a client supports. */
  noteOffers(offers: ClientOffers): void {
    for (const server of this.servers) server.noteOffers(offers);
  }

  /** Asks all servers for log messages of this level; with several clients, of the lowest level. */
  setLogLevel(level: LoggingLevel, { isShared }: { readonly isShared: boolean }): void {
    if (isShared && this.#level !== undefined && isAtLeast(level, this.#level)) return;
    this.#level = level;
    for (const server of this.servers) server.setLogLevel(level);
  }

  /** Must be called when a server's offers may have changed. */
  changed(): void {
    this.#changes.emit(undefined);
  }

  /** Calls the listener when the offers of servers may have changed. */
  onChange(listener: () => void): Unsubscribe {
    return this.#changes.subscribe(listener);
  }

  /** Must be called with each notification of a server. */
  tell(notice: ServerNotice): void {
    this.#notices.emit(notice);
  }

  /** Calls the listener with notifications of servers. */
  onNotice(listener: (notice: ServerNotice) => void): Unsubscribe {
    return this.#notices.subscribe(listener);
  }
}

interface NamedEntriesOptions<Entry> {
  readonly set: ServerSet;
  /** Names that are taken. */
  readonly taken: () => Promise<readonly string[]>;
  /** Longest name, characters. */
  readonly longest: number;
  /** The server's own name of each item, and the item under our name. */
  readonly seen: (server: UpstreamServer) => readonly (readonly [theirs: string, named: (name: ToolName) => Entry])[];
}

/** All items of one kind of all servers, under our names: rebuilt when a server or other names change. */
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
