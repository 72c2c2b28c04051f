/** Sends a request to checked addresses, so that no second look-up can lead elsewhere. */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { RequestOptions } from "node:https";
import type { Duplex } from "node:stream";

export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** Resolves all addresses of a host, as connections do. Rejects if it has none. */
export async function addressesOf(host: string): Promise<readonly HostAddress[]> {
  const { lookup } = await import("node:dns/promises");
  return await lookup(host, { all: true });
}

export interface AddressedRequest {
  readonly url: URL;
  /** The request target; absent: the path and query of `url`. */
  readonly path?: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: there is no body. For a stream, the headers may give the length. */
  readonly body?: string | ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  /** At least one; the first that can be reached is used. */
  readonly addresses: readonly HostAddress[];
  /** Certificates of trusted authorities, PEM; absent or empty: those of the runtime. */
  readonly authorities?: readonly string[];
  readonly signal: AbortSignal;
  /** The only connection that is used; absent: a new one is made. */
  readonly connection?: Duplex;
}

/** An answer whose body has not been read. The body is not decompressed. */
export interface AddressedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: IncomingMessage;
}

/** Sends without following redirects; the certificate must name the host. Rejects without an answer. */
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
    // A body that ends late or never must end the request, because its server would wait for the rest.
    source.on("error", (thrown) => sent.destroy(thrown));
    source.pipe(sent);
  } else sent.end(body);
  return await promise;
}
