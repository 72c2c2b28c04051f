/** Requests to authorization servers: bounded, to checked addresses, without headers for the MCP server. */
import { startOf } from "../../../base/bytes.ts";
import { attempt, fetchFailure, UserError } from "../../../base/errors.ts";
import { shorten } from "../../../base/visible_text.ts";
import { retryAfterMs } from "../../../system/network/retry_after.ts";
import { checkedAddress, reachedAddresses } from "./addresses.ts";
import { type HostAddress, requestToAddress } from "../../../system/network/request_to_address.ts";

/** Longest answer that is read, in bytes. */
const LONGEST = 1_048_576;
/** Characters of a foreign answer in a message. */
const EXCERPT = 200;
/** Longest pause that a server may ask for. */
const LONGEST_PAUSE_MS = 60_000;
/** Statuses that have no body. */
const EMPTY: readonly number[] = [101, 204, 205, 304];

/** An authorization server gave no usable answer; it may do so later. */
export class OAuthServerError extends UserError {
  override readonly name = "OAuthServerError";
  /** How long the server asks to wait, milliseconds; undefined: it does not say. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: ErrorOptions & { readonly retryAfterMs?: number | undefined } = {}) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
  }
}

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** What a fetch is for. */
export interface FetchOptions {
  /** The MCP server that names the addresses. */
  readonly server: URL;
  /** For each request, milliseconds. */
  readonly timeoutMs: number;
  /** Ends all requests. */
  readonly signal?: AbortSignal | undefined;
  /** An answer without JSON is accepted too. */
  readonly emptyIsFine?: boolean;
  /** Says where a request may go; absent: as the system looks names up. */
  readonly reach?: typeof reachedAddresses;
}

/**
 * A `fetch` for the SDK's OAuth functions; it follows no redirect by itself. A document that is not JSON counts as
 * missing.
 * @throws {OAuthServerError} when no usable answer comes, {UserError} for an address that may not be used
 */
export function oauthFetch(
  { server, timeoutMs, signal, emptyIsFine = false, reach = reachedAddresses }: FetchOptions,
): Fetch {
  return async (address, init = {}) => {
    const what = "An address for the login";
    const url = checkedAddress(address, server, what);
    const limit = AbortSignal.timeout(timeoutMs);
    const signals = [limit, signal, init.signal].filter((one) => one instanceof AbortSignal);
    const where = `"${url.origin}${url.pathname}"`;
    try {
      const addresses = await reach(url, server, { what });
      const request = new Request(url, { ...init, redirect: "manual", signal: AbortSignal.any(signals) });
      const hasProxy = isProxied(url);
      // The runtime must not resolve the name: the address it finds would be unchecked.
      if (addresses.length === 0 && !hasProxy) {
        throw new OAuthServerError(`Cannot ask ${where}: the name of its host leads to no address`);
      }
      const response = hasProxy ? await fetch(request) : await fetchFrom(request, addresses);
      const { bytes, isWhole } = await startOf(response.body ?? [], LONGEST);
      if (!isWhole) throw new OAuthServerError(`${where} answers with more than ${LONGEST} bytes`);
      return judged(response, bytes, { where, isForm: init.method?.toUpperCase() === "POST", emptyIsFine });
    } catch (thrown) {
      if (thrown instanceof UserError) throw thrown;
      if (thrown instanceof Deno.errors.NotCapable) {
        throw new UserError(`Cannot ask ${where}: this runtime was started without network permission (--allow-net)`);
      }
      const why = limit.aborted ? `no answer within ${timeoutMs / 1000} s` : fetchFailure(thrown);
      throw new OAuthServerError(`Cannot ask ${where}: ${why}`, { cause: thrown });
    }
  };
}

/** The name is not resolved again: it could lead to an unchecked address. */
async function fetchFrom(request: Request, addresses: readonly HostAddress[]): Promise<Response> {
  const { method, signal } = request;
  const [{ Readable }, text] = await Promise.all([import("node:stream"), request.text()]);
  const { status, headers, body } = await requestToAddress({
    url: new URL(request.url),
    method,
    headers: { accept: "*/*", ...Object.fromEntries(request.headers) },
    body: text === "" ? undefined : text,
    addresses,
    signal,
  });
  const given = Object.entries(headers).flatMap(([name, value]) => value === undefined ? [] : [[name, String(value)]]);
  // Node's type, but a stream of bytes like any other.
  const stream = Readable.toWeb(body) as ReadableStream<Uint8Array<ArrayBuffer>>;
  return new Response(EMPTY.includes(status) ? null : stream, { status, headers: given as [string, string][] });
}

interface Asked {
  readonly where: string;
  /** Whether something was sent, so that another answer than JSON is a failure, and not a missing document. */
  readonly isForm: boolean;
  readonly emptyIsFine: boolean;
}

/** The answer for the SDK. @throws {OAuthServerError} when it cannot be an OAuth answer */
function judged(
  response: Response,
  body: Uint8Array<ArrayBuffer>,
  { where, isForm, emptyIsFine }: Asked,
): Response {
  const { status, headers } = response;
  const text = new TextDecoder().decode(body);
  const isGood = isJson(text) || emptyIsFine && body.length === 0;
  const busy = status === 429 || status >= 500 && status !== 502;
  if (busy || isForm && !isGood) {
    const type = headers.get("content-type")?.split(";")[0] ?? "no type";
    const said = isGood ? "" : ` (${shorten(type, 40)}): ${shorten(text, EXCERPT) || "nothing"}`;
    throw new OAuthServerError(`${where} answers with status ${status}${said}`, { retryAfterMs: pauseOf(headers) });
  }
  if (response.ok && !isGood) return new Response(null, { status: 404 });
  return new Response(EMPTY.includes(status) ? null : body, { status, headers: new Headers(headers) });
}

function isJson(text: string): boolean {
  const value: unknown = attempt(SyntaxError, () => JSON.parse(text));
  return typeof value === "object" && value !== null;
}

/** At most a minute, in milliseconds; undefined: the server does not say. */
function pauseOf(headers: Headers): number | undefined {
  const pause = retryAfterMs(headers, Date.now());
  return pause === undefined ? undefined : Math.min(pause, LONGEST_PAUSE_MS);
}

/** Values that the runtime accepts as a proxy. It ignores any other value, and a user name without a password. */
const USABLE = /^(?:(?:https?|socks5h?):\/\/)?(?:[^\s/@:]+:[^\s/@]*@)?[^\s/@]+\/?$/i;

/** Whether a proxy gets the request, and resolves the host. False in doubt, such as with `no_proxy`. */
export function isProxied(
  { protocol, hostname }: Pick<URL, "protocol" | "hostname">,
  variable: (name: string) => string | undefined = (name) => Deno.env.get(name),
): boolean {
  const values = (...names: readonly string[]) =>
    names.flatMap((name) => [name, name.toUpperCase()]).map((name) => variable(name) ?? "").filter((one) => one !== "");
  const isNamed = values(`${protocol.replace(":", "")}_proxy`, "all_proxy").some((one) => USABLE.test(one));
  const exceptions = values("no_proxy").flatMap((one) => one.toLowerCase().split(",")).map((one) => one.trim());
  return isNamed && !exceptions.some((one) => one === "*" || `.${hostname}`.endsWith(`.${one.replace(/^\*?\./, "")}`));
}
