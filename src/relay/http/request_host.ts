/**
 * The host of a plain HTTP request, read strictly while its head arrives: a server chooses between its names by it. A
 * connection can carry requests for others, so the head is passed on with `Connection: close`, and nothing after the
 * body. Pure.
 */
import { withoutTrailing } from "../../base/text.ts";
import { byteText, hostNameOf, textBytes } from "../parse/host_name.ts";
import type { BodyLength } from "./request_body.ts";

export type RequestHost =
  /** The head is incomplete. */
  | { readonly state: "more" }
  /** The name in lower case, and what to send in place of the first `length` bytes. */
  | {
    readonly state: "host";
    readonly name: string;
    readonly length: number;
    readonly head: Uint8Array<ArrayBuffer>;
    /** Of the body after the head. */
    readonly body: BodyLength;
  }
  /** `reason` follows "the request". */
  | { readonly state: "invalid"; readonly reason: string }
  | { readonly state: "not-http" };

/** The longest that servers accept. */
export const LONGEST_HEAD = 16_384;
const LINE_END = "\r\n";
const HEAD_END = "\r\n\r\n";
const METHOD = /^[A-Z]{1,16}(?: |$)/;
/** A bare line feed or carriage return ends a line for some servers only. */
const LONE_LINE_END = /\r(?!\n|$)|(?<!\r)\n/;
const UNUSUAL = /[^\t\x20-\x7e\x80-\xff]/;
const REQUEST_LINE = /^([A-Z]+) ([!-~\x80-\xff]+) HTTP\/1\.([01])$/;
const FIELD_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const ABSOLUTE = /^http:\/\/([^/?#]*)/i;
const AUTHORITY = /^([^:]+)(?::\d{1,5})?$/;
/** Headers that keep a connection for more requests, or switch its protocol. */
const OF_CONNECTION: readonly string[] = ["connection", "keep-alive", "proxy-connection", "upgrade", "http2-settings"];
const CLOSE = "Connection: close";
const BODILESS: readonly string[] = ["GET", "HEAD"];
const LENGTH = /^\d{1,15}$/;

/** The verdict on all bytes that a client has sent so far. */
export function readRequestHost(bytes: Uint8Array): RequestHost {
  const text = byteText(bytes.subarray(0, LONGEST_HEAD));
  const end = text.indexOf(HEAD_END);
  const head = end < 0 ? text : text.slice(0, end);
  const [line = ""] = head.split(LINE_END, 1);
  if (text === "") return { state: "more" };
  if (!METHOD.test(line)) return { state: "not-http" };
  if (LONE_LINE_END.test(head)) return invalid("ends lines in an unusual way");
  if (line.length < head.length && !REQUEST_LINE.test(line)) return { state: "not-http" };
  if (end >= 0) return readHead(head);
  return text.length < LONGEST_HEAD ? { state: "more" } : invalid("has a head that is too long");
}

function readHead(head: string): RequestHost {
  const [line = "", ...fields] = head.split(LINE_END);
  const [, method, target = "", minor] = REQUEST_LINE.exec(line) ?? [];
  if (method === undefined) return { state: "not-http" };
  if (method === "CONNECT") return invalid("opens a tunnel");
  const named = fields.map(fieldOf);
  if (named.includes(undefined)) return invalid("has a line that is not a header");
  const valuesOf = (wanted: string) => named.flatMap((field) => field?.name === wanted ? [field.value] : []);
  const hosts = valuesOf("host");
  if (hosts.length !== 1) return invalid(hosts.length === 0 ? "names no host" : "names its host twice");
  const name = hostOf(hosts[0] ?? "");
  if (name === undefined) return invalid("names a host in an unusual way");
  const absolute = ABSOLUTE.exec(target)?.[1];
  if (absolute === undefined && !target.startsWith("/") && target !== "*") return invalid("has an unusual target");
  if (absolute !== undefined && hostOf(absolute) !== name) return invalid("names two hosts");
  const encodings = valuesOf("transfer-encoding");
  const body = minor === "0" && encodings.length > 0 ? undefined : bodyLength(encodings, valuesOf("content-length"));
  if (body === undefined) return invalid("tells the length of its body in an unusual way");
  if (BODILESS.includes(method) && body !== 0) {
    return invalid("has a body, which servers can take for a further request");
  }
  const kept = fields.filter((_, at) => !OF_CONNECTION.includes(named[at]?.name ?? ""));
  const closing = [line, ...kept, CLOSE].join(LINE_END) + HEAD_END;
  return { state: "host", name, length: head.length + HEAD_END.length, head: textBytes(closing), body };
}

/** Undefined: servers could read it differently. */
function bodyLength(encodings: readonly string[], lengths: readonly string[]): BodyLength | undefined {
  const [encoding] = encodings;
  const [length = "0"] = lengths;
  if (encodings.length + lengths.length > 1) return undefined;
  if (encoding !== undefined) return encoding.toLowerCase() === "chunked" ? "chunked" : undefined;
  return LENGTH.test(length) ? Number(length) : undefined;
}

/** Undefined: it is not a header, or continues the previous line. */
function fieldOf(line: string): { readonly name: string; readonly value: string } | undefined {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(0, colon));
  if (!FIELD_NAME.test(name) || UNUSUAL.test(line)) return undefined;
  return { name: name.toLowerCase(), value: withoutTrailing(line.slice(colon + 1).replace(/^[ \t]+/, ""), " \t") };
}

/** The name in `name` or `name:port`; undefined: it is anything else, such as one with a user before it. */
function hostOf(authority: string): string | undefined {
  return hostNameOf(AUTHORITY.exec(authority)?.[1] ?? "");
}

function invalid(reason: string): RequestHost {
  return { state: "invalid", reason };
}
