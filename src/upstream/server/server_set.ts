/** All servers together, as the sources of tools, resources and prompts see them (O2). */
import type { LoggingLevel } from "@modelcontextprotocol/server";
import { Emitter, type Unsubscribe } from "../../base/emitter.ts";
import { messageOf } from "../../base/errors.ts";
import { lazy } from "../../base/lazy.ts";
import type { Logger } from "../../base/log.ts";
import { withTimeout } from "../../base/time.ts";
import { isAtLeast } from "../../service/sdk/log_level.ts";
import type { ClientOffers } from "../../service/questions/question.ts";
import type { UpstreamServer } from "./upstream_server.ts";

/** The first list of a start waits so long for servers of which nothing is known, milliseconds. */
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
  /** Called once, when anything of the servers is first wanted. */
  readonly onFirstUse: () => void;
  readonly log: Logger;
}

export class ServerSet {
  readonly servers: readonly UpstreamServer[];
  /** To be called before anything of the servers is used. */
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

  /** Asks servers of which nothing is known, once; those that take longer come with a change of a list. */
  async learned(): Promise<void> {
    this.firstUse();
    this.#learned ??= withTimeout(
      Promise.all(this.servers.filter(({ record }) => record === undefined).map((server) => server.learn())),
      FIRST_LIST_MS,
    );
    await this.#learned;
  }

  /** Notes what a client takes. */
  noteOffers(offers: ClientOffers): void {
    for (const server of this.servers) server.noteOffers(offers);
  }

  /** Has all servers write log messages of this level; with several clients, of the least important one of any. */
  setLogLevel(level: LoggingLevel, { isShared }: { readonly isShared: boolean }): void {
    if (isShared && this.#level !== undefined && isAtLeast(level, this.#level)) return;
    this.#level = level;
    for (const server of this.servers) server.setLogLevel(level);
  }

  /** To be called when what a server offers may be other than before. */
  changed(): void {
    this.#changes.emit(undefined);
  }

  /** Hears that what servers offer may be other than before. */
  onChange(listener: () => void): Unsubscribe {
    return this.#changes.subscribe(listener);
  }

  /** To be called with what a server tells. */
  tell(notice: ServerNotice): void {
    this.#notices.emit(notice);
  }

  /** Hears what servers tell. */
  onNotice(listener: (notice: ServerNotice) => void): Unsubscribe {
    return this.#notices.subscribe(listener);
  }
}
