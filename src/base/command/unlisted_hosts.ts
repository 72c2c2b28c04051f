/** Hosts that no list names, as a command meets them whose person may allow them (S35). */
import type { NetworkRefusal } from "./network_use.ts";

/** Why a host is not allowed, as far as a question is concerned. */
export interface Unallowed {
  /** The outcome of the question; absent: none was asked in a form, and the list is the reason. */
  readonly reason?: string;
  /** True: a person said no, so that no other way is named. */
  readonly isFinal?: true;
  /** The question that a person can answer in a terminal; absent: there is none. */
  readonly question?: string;
}

export interface UnlistedHosts {
  /** Whether its name may have an address, so that a connection can wait for an answer. Asks nothing. */
  mayConnect(host: string): boolean;
  /** What to say of a name that may not. */
  refuse(host: string): Unallowed;
  /** Settles once it is known; undefined: it is allowed. Aborting `signal` takes the question back. */
  decide(host: string, port: number, signal: AbortSignal): Promise<Unallowed | undefined>;
}

/** What to say of a host that its list refuses, and that was not allowed in addition. */
export function refusedInstead(byList: NetworkRefusal, { reason, isFinal, question }: Unallowed): NetworkRefusal {
  if (reason !== undefined) return isFinal === true ? { reason } : { ...byList, reason };
  return question === undefined ? byList : { ...byList, question };
}
