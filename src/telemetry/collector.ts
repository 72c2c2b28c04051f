/** The collector that the user named: its addresses, its headers, and one message to it. */
import { fetchFailure } from "../base/errors.ts";
import { failure, type Outcome, success } from "../base/outcome.ts";

/** `taken`: nothing is left to do. `refused`: a repeat would not help. `later`: it must be sent again. */
export type Sent =
  | { readonly kind: "taken" }
  | { readonly kind: "refused" | "later"; readonly why: string; readonly afterMs?: number };

/** Variable with headers, as in `authorization=Bearer%20abc,x-tenant=1`. */
const HEADERS_VARIABLE = "OTEL_EXPORTER_OTLP_HEADERS";
/** Answers after which OTLP repeats a message. */
const BUSY: readonly number[] = [429, 502, 503, 504];
const REQUEST_MS = 10_000;

export class Collector {
  readonly #address: string;
  readonly #headers: Headers;

  private constructor(address: string, headers: Headers) {
    this.#address = address;
    this.#headers = headers;
  }

  /** The problem is a sentence; it repeats neither the address, which may hold a password, nor a header. */
  static at(text: string, environment: Readonly<Record<string, string>>): Outcome<Collector> {
    const url = URL.parse(text);
    if (url === null || !["http:", "https:"].includes(url.protocol)) {
      return failure("it is no address that begins with http:// or https://");
    }
    if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
      return failure(
        `it has more than a host, a port and a path. Variable "${HEADERS_VARIABLE}" holds what proves who sends`,
      );
    }
    const headers = headersIn(environment[HEADERS_VARIABLE] ?? "");
    return headers.ok ? success(new Collector(url.href.replace(/\/+$/, ""), headers.value)) : headers;
  }

  /** Never rejects. The answer's text is not read. `signal` aborts the message. */
  async send(path: "/v1/traces" | "/v1/metrics", body: string, signal: AbortSignal): Promise<Sent> {
    try {
      const response = await fetch(`${this.#address}${path}`, {
        method: "POST",
        headers: this.#headers,
        body,
        // A header must not reach another host.
        redirect: "manual",
        signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]),
      });
      await response.body?.cancel();
      if (response.ok) return { kind: "taken" };
      const why = `it answered ${response.status}`;
      if (!BUSY.includes(response.status)) return { kind: "refused", why };
      const afterMs = pauseIn(response.headers.get("retry-after"), Date.now());
      return { kind: "later", why, ...afterMs !== undefined && { afterMs } };
    } catch (thrown) {
      return { kind: "later", why: fetchFailure(thrown) };
    }
  }
}

/** The headers of every message. */
function headersIn(text: string): Outcome<Headers> {
  const headers = new Headers();
  try {
    for (const pair of text.split(",").filter((one) => one.trim() !== "")) {
      const at = pair.indexOf("=");
      if (at < 1) throw new TypeError("No name");
      headers.set(pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim()));
    }
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    return failure(`variable "${HEADERS_VARIABLE}" is not of the form name=value,name=value`);
  }
  headers.set("content-type", "application/json");
  return success(headers);
}

/** Milliseconds in a `Retry-After`, which holds seconds or a date; undefined: it says nothing. */
export function pauseIn(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
