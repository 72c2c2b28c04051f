/**
 * Ends the TLS of commands for hosts that secrets are bound to (S33), puts the secrets into their requests, and sends these
 * on over TLS of its own. Only connections that the relay has announced are answered.
 */
import { messageOf } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import type { TerminatedUse, Termination, Terminator, TerminatorTarget } from "../relay/terminator.ts";
import { addressText } from "../system/network/address_bytes.ts";
import { type AddressedAnswer, requestToAddress } from "../system/network/request_to_address.ts";
import { hideIn, hidingStream } from "./hide.ts";
import { type HostSecret, type PutIn, putIn } from "./put_in.ts";
import { makeCertificate, type SessionCertificate } from "./session_certificate.ts";

/** Secrets by `host:port`. */
export type SecretsByHost = ReadonlyMap<string, readonly HostSecret[]>;

export interface GatewayOptions {
  readonly secrets: SecretsByHost;
  /** Of the servers that requests are sent on to, PEM; empty: those that the runtime trusts. */
  readonly authorities: readonly string[];
  readonly log: Logger;
}

const LOOPBACK = "127.0.0.1";
const LOOPBACK_BYTES = Uint8Array.of(127, 0, 0, 1);
/** Of one connection only (RFC 9110 section 7.6.1), and what this server asks and answers for itself. */
const OF_CONNECTION = ["connection", "expect", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding"];
const DROPPED = new Set([...OF_CONNECTION, "upgrade", "http2-settings", "host"]);
/** They give a body back as it was sent, or open ways that are not looked at. */
const REFUSED_METHODS: readonly string[] = ["TRACE", "CONNECT"];
const WITHOUT_BODY: readonly number[] = [204, 205, 304];
const DECODED = { gzip: "gzip", "x-gzip": "gzip", deflate: "deflate" } as const;

/** A connection that was announced. */
interface Connection {
  readonly target: TerminatorTarget;
  readonly used: Set<string>;
  refused: string | undefined;
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
    const connection: Connection = { target, used: new Set(), refused: undefined };
    let from: number | undefined;
    return {
      place: { address: LOOPBACK_BYTES, port: this.#server.addr.port },
      dialled: (port) => {
        from = port;
        this.#connections.set(port, connection);
      },
      end: (): TerminatedUse => {
        if (from !== undefined) this.#connections.delete(from);
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
    if (connection === undefined) return answered(403, "This address is not yours to use");
    const { target } = connection;
    const refuse = (status: number, why: string) => {
      connection.refused = `was sent a request that is not passed on: ${why}`;
      return answered(status, `Sandbox: ${why}`);
    };
    const asked = new URL(request.url);
    if (asked.hostname !== target.host) {
      return refuse(421, `the request names "${asked.hostname}", not "${target.host}"`);
    }
    if (REFUSED_METHODS.includes(request.method)) {
      return refuse(405, `${request.method} is refused where secrets are bound`);
    }
    const line = { method: request.method, target: request.url.slice(request.url.indexOf("/", "https://".length)) };
    const headers = [...request.headers].filter(([name]) => !isDropped(name, request.headers));
    const secrets = this.#options.secrets.get(`${target.host}:${target.port}`) ?? [];
    const ready = putIn(line, headers, secrets);
    if ("refused" in ready) return refuse(403, ready.refused);
    for (const name of ready.used) connection.used.add(name);
    try {
      const { authorities } = this.#options;
      return await send({ request, target, path: line.target, ready, authorities });
    } catch (thrown) {
      // A message of the runtime may quote what was sent.
      const why = hideIn(messageOf(thrown), ready.hidden);
      this.#options.log.debug("A request with secrets has failed", { host: target.host, error: why });
      return answered(502, `Sandbox: ${target.host} cannot be asked: ${why}`);
    }
  }
}

interface Sent {
  readonly request: Request;
  readonly target: TerminatorTarget;
  /** As it was sent. */
  readonly path: string;
  readonly ready: Exclude<PutIn, { readonly refused: string }>;
  readonly authorities: readonly string[];
}

async function send({ request, target: { host, port, places }, path, ready, authorities }: Sent): Promise<Response> {
  const authority = port === 443 ? host : `${host}:${port}`;
  const hides = ready.hidden.length > 0;
  const answer = await requestToAddress({
    url: new URL(`https://${authority}`),
    path,
    method: request.method,
    headers: {
      host: authority,
      ...Object.fromEntries(ready.headers),
      // What is compressed cannot be looked through.
      ...hides && { "accept-encoding": "identity" },
    },
    body: request.body ?? undefined,
    addresses: places.map(({ address }) => ({
      address: addressText(address),
      family: address.length === 4 ? 4 : 6,
    })),
    authorities,
    signal: request.signal,
  });
  const headers = new Headers();
  for (const [name, values] of headersOf(answer)) {
    if (!isDropped(name, undefined)) { for (const value of values) headers.append(name, hideIn(value, ready.hidden)); }
  }
  const hasBody = request.method !== "HEAD" && !WITHOUT_BODY.includes(answer.status);
  if (!hasBody) answer.body.resume();
  const { Readable } = await import("node:stream");
  const body = hasBody ? Readable.toWeb(answer.body) : null;
  return new Response(hides ? hiding(body, headers, ready.hidden) : body, { status: answer.status, headers });
}

/** The body without the secrets; headers that would not fit it are taken out. @throws {Error} Where it cannot be read. */
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
  // Its type takes more kinds of bytes than a stream of them has.
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

function answered(status: number, text: string): Response {
  return new Response(`${text}\n`, { status, headers: { "content-type": "text/plain; charset=utf-8" } });
}
