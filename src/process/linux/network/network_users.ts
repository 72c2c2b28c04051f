/** Which running command a connection belongs to, and what all of them did in the network by name (S30). */
import type { NetworkUse } from "../../../base/command/network_use.ts";
import type { UnlistedHosts } from "../../../base/command/unlisted_hosts.ts";
import type { Attributed } from "../../../relay/relay.ts";
import type { CommandSide } from "../../../relay/sockets.ts";

/** A running command, as far as its connections are concerned. */
export interface NetworkUser {
  /** Whether one of its processes holds the socket with this port. */
  holdsSocket(side: { readonly protocol: "udp" | "tcp"; readonly port: number }): boolean;
  /** Whether one of its processes listens at a port of TCP. */
  listensAt(port: number): boolean;
  readonly onNetwork: ((use: NetworkUse) => void) | undefined;
  /** What its person may allow beyond the list; undefined: nothing. */
  readonly unlisted: UnlistedHosts | undefined;
}

/** The totals of a name and port, over all connections. */
export interface NamedTotals {
  readonly name: string;
  /** Undefined: only the name was asked for. */
  readonly port: number | undefined;
  connections: number;
  refusals: number;
  bytesOut: number;
  bytesIn: number;
  /** Of the last refusal; undefined: there was none. */
  reason: string | undefined;
}

/** Most names and ports that are counted; further ones are left out. */
const MOST_TOTALS = 1000;

export class NetworkUsers {
  /** Running commands, each with those who wait for its end. */
  readonly #users = new Map<NetworkUser, Set<() => void>>();
  readonly #totals = new Map<string, NamedTotals>();

  /** In the order of their first use. */
  get totals(): readonly NamedTotals[] {
    return [...this.#totals.values()];
  }

  /** Forgets what was counted so far. */
  forget(): void {
    this.#totals.clear();
  }

  /** Whether a command listens at a port of TCP. */
  listensAt(port: number): boolean {
    return [...this.#users.keys()].some((user) => user.listensAt(port));
  }

  /** Adds a command until it is gone. */
  add(user: NetworkUser, gone: Promise<unknown>): void {
    const listeners = new Set<() => void>();
    this.#users.set(user, listeners);
    void gone.finally(() => {
      this.#users.delete(user);
      for (const listener of listeners) listener();
    });
  }

  /** The command that a new connection belongs to. */
  attribute(side: CommandSide): Attributed {
    const [only, ...others] = this.#users.keys();
    const owner = others.length === 0 ? only : [...this.#users.keys()].find((user) => user.holdsSocket(side));
    const listeners = owner && this.#users.get(owner);
    const tell = (use: NetworkUse) => {
      this.#count(use);
      owner?.onNetwork?.(use);
    };
    return {
      tell,
      onEnded(listener) {
        if (only === undefined) return soon(listener); // its command ended before it was accepted
        listeners?.add(listener);
        return () => listeners?.delete(listener);
      },
      // A grant for one command is not for processes that another left behind.
      get unlisted() {
        return owner?.holdsSocket(side) === true ? owner.unlisted : undefined;
      },
    };
  }

  #count({ name, port, bytesOut, bytesIn, refused }: NetworkUse): void {
    const key = `${name}:${port ?? ""}`;
    const known = this.#totals.get(key);
    if (known === undefined && this.#totals.size >= MOST_TOTALS) return;
    const totals = known ??
      { name, port, connections: 0, refusals: 0, bytesOut: 0, bytesIn: 0, reason: undefined };
    this.#totals.set(key, totals);
    totals[refused === undefined ? "connections" : "refusals"]++;
    totals.bytesOut += bytesOut;
    totals.bytesIn += bytesIn;
    totals.reason = refused?.reason ?? totals.reason;
  }
}

/** Calls `listener` after the work at hand; returns what takes that back. */
function soon(listener: () => void): () => void {
  let isWanted = true;
  queueMicrotask(() => isWanted && listener());
  return () => {
    isWanted = false;
  };
}
