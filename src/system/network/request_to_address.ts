/** One request to addresses that were looked up and checked before: no second look-up can lead elsewhere. */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { RequestOptions } from "node:https";
import type { Duplex } from "node:stream";

/** An address of a host. */
export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a host, as connections find them. Rejects where it has none. */
export async function addressesOf(host: string): Promise<readonly HostAddress[]> {
  const { lookup } = await import("node:dns/promises");
  return await lookup(host, { all: true });
}

export interface AddressedRequest {
  readonly url: URL;
  /** The target as it is sent; absent: the one of `url`. */
  readonly path?: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: none is sent. Of a stream, the headers may say the length. */
  readonly body?: string | ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  /** At least one; the first that can be reached is used. */
  readonly addresses: readonly HostAddress[];
  /** Certificates of authorities, PEM; absent or empty: those that the runtime trusts. */
  readonly authorities?: readonly string[];
  readonly signal: AbortSignal;
  /** To send it on, and to nothing else; absent: one of its own. */
  readonly connection?: Duplex;
}

/** An answer whose body has not been read; it comes as it was sent, compressed or not. */
export interface AddressedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: IncomingMessage;
}

/** Sends it, and follows no redirect. Certificates are those of the host's name. Rejects when there is no answer. */
export async function requestToAddress(
  { url, path, method, headers, body, addresses, authorities = [], signal, connection }: AddressedRequest,
): Promise<AddressedAnswer> {
  const { request } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const length = typeof body === "string" ? String(new TextEncoder().encode(body).length) : undefined;
  const options: RequestOptions = {
    ...path !== undefined && { path },
    method,
    headers: { ...headers, ...length !== undefined && { "content-length": length } },
    signal,
    lookup: (_host, asked, found) => {
      const [first] = addresses;
      if (asked.all === true || first === undefined) found(null, [...addresses]);
      else found(null, first.address, first.family);
    },
    ...connection === undefined ? { agent: false } : { createConnection: () => connection },
    ...authorities.length > 0 && { ca: [...authorities] },
  };
  const { promise, resolve, reject } = Promise.withResolvers<AddressedAnswer>();
  const sent = request(url, options, (answer) => {
    resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: answer });
  });
  sent.on("error", reject);
  // Nothing asks for one.
  sent.on("upgrade", (_answer, socket) => {
    socket.destroy();
    reject(new Error("It changes to another protocol"));
  });
  if (body instanceof ReadableStream) {
    const { Readable } = await import("node:stream");
    const source = Readable.fromWeb(body);
    // What comes too late or never ends the request: its server would wait for the rest.
    source.on("error", (thrown) => sent.destroy(thrown));
    source.pipe(sent);
  } else sent.end(body);
  return await promise;
}
