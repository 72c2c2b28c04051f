/** Hosts that are on no list, for commands whose person may be asked to allow them (S35). */
import type { NetworkRefusal } from "./network_use.ts";

/** Why a host is not allowed, as far as a question is concerned. */
export interface Unallowed {
  /** The outcome of the question; absent: none was asked in a form, and the list is the reason. */
  readonly reason?: string;
  /** True: a person said no, so the message suggests no other way. */
  readonly isFinal?: true;
  /** The question that a person can answer in a terminal; absent: there is none. */
  readonly question?: string;
}

export interface UnlistedHosts {
  /** Whether the name gets an address, so that a connection can wait for an answer. Asks no question. */
  mayConnect(host: string): boolean;
  /** The message for a name that gets no address. */
  refuse(host: string): Unallowed;
  /** Settles once it is known; undefined: it is allowed. Aborting `signal` takes the question back. */
  decide(host: string, port: number, signal: AbortSignal): Promise<Unallowed | undefined>;
}

/** The message for a host that is not on the list and that no person allowed. */
export function refusedInstead(byList: NetworkRefusal, { reason, isFinal, question }: Unallowed): NetworkRefusal {
  if (reason !== undefined) return isFinal === true ? { reason } : { ...byList, reason };
  return question === undefined ? byList : { ...byList, question };
}
