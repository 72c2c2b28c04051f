/** Fetches a page and follows redirects; every hop is checked like the first (K5). */
import { UserError } from "../../base/errors.ts";
import { ENCODINGS, readBody } from "./read_body.ts";
import type { AddressedAnswer } from "../../system/network/request_to_address.ts";
import { type Network, sendRequest } from "./request.ts";

export interface PageRequest {
  readonly url: string;
  /** Whether a redirect to another host is followed. */
  readonly acrossHosts: boolean;
  readonly mostBytes: number;
  readonly userAgent: string;
  readonly signal: AbortSignal;
}

/** A page, or a redirect to another host. */
export interface Page {
  /** All URLs of the redirect chain; the last is the page's. */
  readonly chain: readonly URL[];
  readonly status: number;
  readonly contentType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isCut: boolean;
  /** A redirect that was not followed. */
  readonly elsewhere?: URL;
}

const MOST_HOPS = 5;
const LONGEST_ADDRESS = 8_192;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** Fetches a page. @throws {UserError} When it may not or cannot be fetched. */
export async function fetchPage(network: Network, request: PageRequest): Promise<Page> {
  const chain = [webAddress(request.url)];
  for (;;) {
    const url = chain.at(-1) ?? webAddress(request.url);
    const answer = await sendRequest(network, { url, headers: headersOf(request), signal: request.signal });
    const next = redirectOf(answer, url);
    if (next === undefined) return await pageOf(answer, chain, request);
    answer.body.destroy();
    if (next.hostname !== url.hostname && !request.acrossHosts) {
      return { chain, status: answer.status, contentType: "", bytes: new Uint8Array(), isCut: false, elsewhere: next };
    }
    if (url.protocol === "https:" && next.protocol === "http:") {
      throw new UserError(`Cannot fetch "${chain[0]}": it redirects from https to "${next}", which is not encrypted`);
    }
    if (chain.length > MOST_HOPS) {
      throw new UserError(`Cannot fetch "${chain[0]}": it redirects more than ${MOST_HOPS} times`);
    }
    chain.push(next);
  }
}

/** A text as a web address. @throws {UserError} When it is not one. */
export function webAddress(text: string): URL {
  const url = text.length <= LONGEST_ADDRESS && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) {
    throw new UserError(`Cannot fetch "${text.slice(0, 200)}": it is not an address such as https://example.com`);
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new UserError(`Cannot fetch "${text.slice(0, 200)}": only http and https are fetched`);
  }
  if (url.username !== "" || url.password !== "") throw new UserError("Cannot fetch an address with a user name in it");
  url.hash = "";
  return url;
}

function headersOf({ userAgent }: PageRequest): Readonly<Record<string, string>> {
  return {
    "user-agent": userAgent,
    accept:
      "text/html,application/xhtml+xml,text/markdown,text/plain,application/json,application/pdf,image/*;q=0.8,*/*;q=0.5",
    "accept-encoding": ENCODINGS,
    "accept-language": "en;q=0.9,*;q=0.5",
  };
}

function redirectOf({ status, headers: { location } }: AddressedAnswer, from: URL): URL | undefined {
  if (!REDIRECTS.includes(status) || location === undefined) return undefined;
  return webAddress(URL.canParse(location, from) ? new URL(location, from).href : location);
}

async function pageOf(answer: AddressedAnswer, chain: readonly URL[], { mostBytes }: PageRequest): Promise<Page> {
  const { bytes, isCut } = await readBody(answer, mostBytes);
  return { chain, status: answer.status, contentType: answer.headers["content-type"] ?? "", bytes, isCut };
}
