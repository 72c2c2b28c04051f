/** Sends one request, for a limited time, to an address that was checked: no second look-up can lead elsewhere (K5). */
import { UserError } from "../../base/errors.ts";
import { isPublicAddress } from "../../system/network/public_address.ts";
import {
  type AddressedAnswer,
  addressesOf,
  type HostAddress,
  requestToAddress,
} from "../../system/network/request_to_address.ts";
import type { WorkerSetup } from "../frame/messages.ts";

/** The network functions of web tools; tests pass their own resolver. */
export interface Network {
  resolve(host: string): Promise<readonly HostAddress[]>;
  isPublic(address: string): boolean;
  /** Hosts that a person allows, wherever they are. */
  readonly allowedHosts: readonly string[];
}

/** The network according to the server's settings. @throws {UserError} When they allow none. */
export function openNetwork({ web }: WorkerSetup): Network {
  if (web?.isOffline === true) throw new UserError("The web cannot be reached: web tools need --network full");
  return { resolve: addressesOf, isPublic: isPublicAddress, allowedHosts: web?.allowedHosts ?? [] };
}

/** A request of the web tools. */
export interface WebRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: GET. */
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** Sends a request to the checked addresses of its host. @throws {UserError} When the host may not or cannot be reached. */
export async function sendRequest(
  network: Network,
  { url, headers, body, signal }: WebRequest,
): Promise<AddressedAnswer> {
  const addresses = await checkedAddresses(network, url);
  try {
    return await requestToAddress({
      url,
      method: body === undefined ? "GET" : "POST",
      headers,
      body,
      addresses,
      signal,
    });
  } catch (thrown) {
    if (signal.aborted || !(thrown instanceof Error)) throw thrown;
    throw new UserError(`Cannot reach "${url.host}": ${thrown.message}`);
  }
}

/** The addresses of a host. All must be public, unless a person allowed the host. */
async function checkedAddresses(network: Network, { hostname, host }: URL): Promise<readonly HostAddress[]> {
  const name = hostname.replace(/^\[|\]$/g, "");
  let addresses: readonly HostAddress[];
  try {
    addresses = await network.resolve(name);
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    throw new UserError(`Cannot find the address of "${hostname}": ${thrown.message}`);
  }
  if (addresses.length === 0) throw new UserError(`Cannot find the address of "${hostname}"`);
  if (network.allowedHosts.includes(hostname) || network.allowedHosts.includes(host)) return addresses;
  const hidden = addresses.find(({ address }) => !network.isPublic(address));
  if (hidden === undefined) return addresses;
  throw new UserError(
    `Cannot fetch from "${hostname}": its address ${hidden.address} is of this machine or a private network. ` +
      "A person can allow the host: --allow-private-hosts",
  );
}

/** How long a call to the web may take. */
export interface TimeLimit {
  /** Aborted: the call is cancelled. */
  readonly signal: AbortSignal;
  readonly seconds: number;
  /** The timeout error, which names the cause and the remedy. */
  readonly late: string;
}

/** Does work with a signal that aborts it at the time limit. @throws {UserError} When the time is over. */
export async function withinTime<Value>(
  { signal, seconds, late }: TimeLimit,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const limit = AbortSignal.timeout(seconds * 1000);
  try {
    return await work(AbortSignal.any([signal, limit]));
  } catch (thrown) {
    throw limit.aborted ? new UserError(late) : thrown;
  }
}
