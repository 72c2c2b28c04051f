/** Terminates the TLS of some hosts for the relay, which only passes bytes on: it sees the requests (S33). */
import type { NetworkRefusal } from "../base/command/network_use.ts";
import type { Place } from "./connection.ts";
import type { Endpoint } from "./sockets.ts";

/** Where a connection was meant to go. */
export interface TerminatorTarget {
  readonly host: string;
  readonly port: number;
  /** Looked up and checked. */
  readonly places: readonly Place[];
}

/** What became of a connection. */
export interface TerminatedUse {
  /** Names of the secrets that its requests have carried. */
  readonly secrets: readonly string[];
  /** Why a request was refused; undefined: none was. */
  readonly refused: NetworkRefusal | undefined;
}

/** One connection. */
export interface Termination {
  /** To dial instead. */
  readonly place: Endpoint;
  /** It was dialled from this port of the loopback: connections from other ports are not answered. */
  dialled(port: number): void;
  /** It has ended. */
  end(): TerminatedUse;
}

export interface Terminator {
  /** Whether connections to this host end here. */
  endsTls(host: string, port: number): boolean;
  terminate(target: TerminatorTarget): Termination;
}
