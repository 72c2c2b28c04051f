/** One request to an address that was checked before: no second look-up can lead elsewhere (K5). */
import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from "node:http";
import { UserError } from "../../base/errors.ts";

/** An address of a host. */
export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** What web tools need of the network; a test gives a resolver of its own. */
export interface Network {
  resolve(host: string): Promise<readonly HostAddress[]>;
  isPublic(address: string): boolean;
  /** Hosts that a person allows, wherever they are. */
  readonly allowedHosts: readonly string[];
}

/** A request of the web tools. */
export interface WebRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: GET. */
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** An answer whose body has not been read. */
export interface WebAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: IncomingMessage;
}

/** Sends a request to a checked address of its host. @throws {UserError} When the host may not or cannot be reached. */
export async function sendRequest(network: Network, { url, headers, body, signal }: WebRequest): Promise<WebAnswer> {
  const address = await checkedAddress(network, url);
  const { request } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const options: RequestOptions = {
    method: body === undefined ? "GET" : "POST",
    headers: {
      ...headers,
      ...body !== undefined && { "content-length": String(new TextEncoder().encode(body).length) },
    },
    signal,
    lookup: (_host, asked, found) => {
      if (asked.all === true) found(null, [address]);
      else found(null, address.address, address.family);
    },
    agent: false,
  };
  const { promise, resolve, reject } = Promise.withResolvers<WebAnswer>();
  const sent = request(url, options, (answer) => {
    resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: answer });
  });
  sent.on(
    "error",
    (error: Error) => reject(signal.aborted ? error : new UserError(`Cannot reach "${url.host}": ${error.message}`)),
  );
  sent.end(body);
  return await promise;
}

/** The first address of the host; every one must be public, or a person has allowed the host. */
async function checkedAddress(network: Network, { hostname, host }: URL): Promise<HostAddress> {
  const name = hostname.replace(/^\[|\]$/g, "");
  let addresses: readonly HostAddress[];
  try {
    addresses = await network.resolve(name);
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    throw new UserError(`Cannot find the address of "${hostname}": ${thrown.message}`);
  }
  const [first] = addresses;
  if (first === undefined) throw new UserError(`Cannot find the address of "${hostname}"`);
  if (network.allowedHosts.includes(hostname) || network.allowedHosts.includes(host)) return first;
  const hidden = addresses.find(({ address }) => !network.isPublic(address));
  if (hidden === undefined) return first;
  throw new UserError(
    `Cannot fetch from "${hostname}": its address ${hidden.address} is of this machine or a private network. ` +
      "A person can allow the host: --allow-private-hosts",
  );
}
