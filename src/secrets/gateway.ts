/**
 * Ends the TLS of commands for hosts that secrets are bound to (S33), puts the secrets into their requests, and sends
 * these on over TLS of its own. Only connections that the relay has announced are answered.
 */
import type { NetworkRefusal } from "../base/command/network_use.ts";
import { messageOf } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { shorten, writtenOut } from "../base/visible_text.ts";
import type { TerminatedUse, Termination, Terminator, TerminatorTarget } from "../relay/terminator.ts";
import { type AddressedAnswer, type HostAddress, requestToAddress } from "../system/network/request_to_address.ts";
import { tlsToAddress } from "../system/network/tls_to_address.ts";
import { hideIn, hidingStream } from "./hide.ts";
import type { RequestLine } from "./permitted_request.ts";
import { type HostSecret, type PutIn, putIn } from "./put_in.ts";
import { makeCertificate, type SessionCertificate } from "./session_certificate.ts";
import { addressText } from "../system/network/ip_address.ts";

/** Secrets by `host:port`. */
export type SecretsByHost = ReadonlyMap<string, readonly HostSecret[]>;

export interface GatewayOptions {
  readonly secrets: SecretsByHost;
  /** Of the servers that requests are sent on to, PEM, in addition to those that the runtime trusts. */
  readonly authorities: readonly string[];
  readonly log: Logger;
}

const LOOPBACK = "127.0.0.1";
const LOOPBACK_BYTES = Uint8Array.of(127, 0, 0, 1);
/** Headers of one connection only (RFC 9110 section 7.6.1), and those that this server sets itself. */
const OF_CONNECTION = ["connection", "expect", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding"];
/** Of a request: the host, and the target as it was sent. */
const ADDRESS = /^https?:\/\/([^/?#@\\:]*)(?::\d+)?(\/.*)$/s;
const DROPPED = new Set([...OF_CONNECTION, "upgrade", "http2-settings", "host"]);
/** They echo the request's body, or open ways that are not checked. */
const REFUSED_METHODS: readonly string[] = ["TRACE", "TRACK", "CONNECT"];
const WITHOUT_BODY: readonly number[] = [204, 205, 304];
const DECODED = { br: "brotli", gzip: "gzip", "x-gzip": "gzip", deflate: "deflate" } as const;

/** An announced connection. */
interface Connection {
  readonly target: TerminatorTarget;
  /** Ends its requests. */
  readonly controller: AbortController;
  readonly used: Set<string>;
  refused: NetworkRefusal | undefined;
}

/** Disposal ends all connections. */
export class SecretGateway implements Terminator, AsyncDisposable {
  readonly authority: string;
  readonly #options: GatewayOptions;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  /** By the port that the relay dials from. */
  readonly #connections = new Map<number, Connection>();

  private constructor(options: GatewayOptions, { authority, certificate, key }: SessionCertificate) {
    this.#options = options;
    this.authority = authority;
    this.#server = Deno.serve({
      hostname: LOOPBACK,
      port: 0,
      cert: certificate,
      key,
      onListen: () => {},
      onError: (thrown) => answered(502, messageOf(thrown)),
    }, async (request, { remoteAddr }) => await this.#answer(request, remoteAddr));
  }

  static async open(options: GatewayOptions): Promise<SecretGateway> {
    const hosts = [...options.secrets.keys()].map((key) => key.slice(0, key.lastIndexOf(":")));
    return new SecretGateway(options, await makeCertificate([...new Set(hosts)]));
  }

  endsTls(host: string, port: number): boolean {
    return this.#options.secrets.has(`${host}:${port}`);
  }

  terminate(target: TerminatorTarget): Termination {
    const connection: Connection = {
      target,
      controller: new AbortController(),
      used: new Set(),
      refused: undefined,
    };
    let from: number | undefined;
    return {
      place: { address: LOOPBACK_BYTES, port: this.#server.addr.port },
      dialled: (port) => {
        from = port;
        this.#connections.set(port, connection);
      },
      end: (): TerminatedUse => {
        if (from !== undefined) this.#connections.delete(from);
        connection.controller.abort();
        return { secrets: [...connection.used], refused: connection.refused };
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connections.clear();
    await this.#server.shutdown();
  }

  async #answer(request: Request, { hostname, port }: Deno.NetAddr): Promise<Response> {
    const connection = hostname === LOOPBACK ? this.#connections.get(port) : undefined;
    // Another program of this machine.
    if (connection === undefined) return answered(403, "This address serves only commands of the session");
    const { target, controller } = connection;
    const refuse = (status: number, why: string) => {
      connection.refused = { reason: `was sent a request that is not passed on: ${why}` };
      return answered(status, `Refused by ahma_mcp: ${why}`);
    };
    const [, asked = "", path = ""] = ADDRESS.exec(request.url) ?? [];
    // The runtime builds the address from the header, which may hold more than a host; HTTP/2 has none.
    const header = request.headers.get("host")?.replace(/:\d+$/, "").toLowerCase();
    const other = [asked, header].find((host) => host !== undefined && host !== target.host);
    if (other !== undefined) {
      return refuse(421, `the request names "${shorten(writtenOut(other))}", not "${target.host}"`);
    }
    const method = request.method.toUpperCase();
    if (REFUSED_METHODS.includes(method)) return refuse(405, `${method} is refused where secrets are bound`);
    if (request.body === null && announcesBody(request.headers)) {
      return refuse(400, `a body of ${method} is not carried`);
    }
    const line = { method, target: path };
    const headers = [...request.headers].filter(([name]) => !isDropped(name, request.headers));
    const secrets = this.#options.secrets.get(`${target.host}:${target.port}`) ?? [];
    const ready = putIn(line, headers, secrets);
    if ("refused" in ready) return refuse(403, ready.refused);
    for (const name of ready.used) connection.used.add(name);
    try {
      const { authorities } = this.#options;
      const ownProblem = (address: string) => {
        const place = target.places.find((one) => addressText(one.address) === address);
        connection.refused = place?.ownProblem?.();
        return connection.refused?.reason;
      };
      return await send({ request, target, line, ready, authorities, ownProblem, signal: controller.signal });
    } catch (thrown) {
      // An error message of the runtime may quote the request.
      const why = hideIn(messageOf(thrown), ready.hidden);
      this.#options.log.debug("A request with secrets has failed", { host: target.host, error: why });
      return answered(502, `ahma_mcp: ${target.host} cannot be asked: ${why}`);
    }
  }
}

interface Sent {
  readonly request: Request;
  readonly target: TerminatorTarget;
  readonly line: Pick<RequestLine, "method" | "target">;
  readonly ready: Exclude<PutIn, { readonly refused: string }>;
  readonly authorities: readonly string[];
  readonly ownProblem: (address: string) => string | undefined;
  readonly signal: AbortSignal;
}

async function send(
  { request, target: { host, port, places }, line, ready, authorities, ownProblem, signal }: Sent,
): Promise<Response> {
  const authority = port === 443 ? host : `${host}:${port}`;
  const addresses = places.map(({ address }): HostAddress => ({
    address: addressText(address),
    family: address.length === 4 ? 4 : 6,
  }));
  const connection = await tlsToAddress({ host, port, addresses, authorities, ownProblem, signal });
  const answer = await requestToAddress({
    url: new URL(`https://${authority}`),
    path: line.target,
    method: line.method,
    headers: {
      host: authority,
      ...Object.fromEntries(ready.headers),
      // Compressed answers cannot be searched.
      "accept-encoding": "identity",
    },
    body: request.body ?? undefined,
    addresses,
    connection,
    signal,
  });
  try {
    return shownAnswer(answer, line.method, ready.hidden);
  } catch (thrown) {
    answer.body.destroy();
    throw thrown;
  }
}

/** @throws {Error} Where it cannot be passed on. */
function shownAnswer(answer: AddressedAnswer, method: string, hidden: readonly string[]): Response {
  const headers = new Headers();
  for (const [name, values] of headersOf(answer)) {
    const isShown = !isDropped(name, undefined) && !hidden.some((one) => name.includes(one.toLowerCase()));
    if (isShown) { for (const value of values) headers.append(name, hideIn(value, hidden)); }
  }
  const hasBody = method !== "HEAD" && !WITHOUT_BODY.includes(answer.status);
  if (!hasBody) answer.body.resume();
  // Read no faster than the command reads.
  const body = hasBody ? ReadableStream.from<Uint8Array<ArrayBuffer>>(answer.body) : null;
  return new Response(hiding(body, headers, hidden), { status: answer.status, headers });
}

/**
 * The body without the secrets; headers that would not match it are removed. @throws {Error} Where it cannot be read.
 */
function hiding(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  headers: Headers,
  hidden: readonly string[],
): ReadableStream<Uint8Array> | null {
  if (body === null) return null;
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding === "identity") return body.pipeThrough(hidingStream(hidden));
  const format = Object.entries(DECODED).find(([name]) => name === encoding)?.[1];
  if (format === undefined) {
    throw new Error(`Its answer is compressed as "${encoding}" and cannot be checked for secrets`);
  }
  for (const name of ["content-encoding", "content-length", "etag"]) headers.delete(name);
  // Its type accepts more kinds of bytes than the stream has.
  const decoder: ReadableWritablePair<Uint8Array, Uint8Array<ArrayBuffer>> = new DecompressionStream(format);
  return body.pipeThrough(decoder).pipeThrough(hidingStream(hidden));
}

function headersOf({ headers }: AddressedAnswer): readonly (readonly [string, readonly string[]])[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value : [value]] as const]
  );
}

/** Whether a header is not passed on; `headers`: the request's, whose `Connection` may name more. */
function isDropped(name: string, headers: Headers | undefined): boolean {
  if (DROPPED.has(name)) return true;
  const named = headers?.get("connection")?.toLowerCase().split(",").map((one) => one.trim()) ?? [];
  return named.includes(name);
}

function announcesBody(headers: Headers): boolean {
  return headers.has("transfer-encoding") || (headers.get("content-length") ?? "0") !== "0";
}

function answered(status: number, text: string): Response {
  return new Response(`${text}\n`, { status, headers: { "content-type": "text/plain; charset=utf-8" } });
}
