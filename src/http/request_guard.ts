/**
 * Decides from the head of a request, before its body is read, whether it is served (H8). Refuses web pages that reach
 * this server by DNS rebinding or cross-site requests, other users of the machine (token), and requests that are no
 * MCP. Pure.
 */
import { equalInConstantTime } from "../base/bytes.ts";
import { INSTANCE_HEADER } from "../wire/instance.ts";
import { takesStream } from "./accept_header.ts";
import { type Refusal, refuse } from "./refusal.ts";

export interface GuardRules {
  /** Allowed values of the `Host` header, in lower case, with the port. */
  readonly hosts: ReadonlySet<string>;
  /** Allowed origins of web pages, exactly as a browser writes them. Programs send none. */
  readonly origins: ReadonlySet<string>;
  /** The bearer token that every request of the protocol must carry; undefined: none is required. */
  readonly token: string | undefined;
  /** The id of this server in requests that it sends itself. */
  readonly instance: string;
}

/** The head of a request. */
interface RequestHead {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
}

/** What an admitted request asks for. */
export type Route = "health" | "card" | "preflight" | "post" | "get" | "delete";

const ENDPOINT = "/mcp";
const HEALTH = "/health";
const CARD = `${ENDPOINT}/server-card`;
/** Clients leave it out. */
const DEFAULT_PORT = 80;
const ALLOWED_METHODS = "GET, POST, DELETE, OPTIONS";

/** The refusal, or what the request asks for. */
export function guard(head: RequestHead, rules: GuardRules): Refusal | Route {
  return siteProblem(head, rules) ?? loopProblem(head, rules) ?? pathRoute(head) ??
    (head.method === "OPTIONS" ? "preflight" : undefined) ??
    tokenProblem(head, rules.token) ?? methodRoute(head);
}

/** The `Host` values of a server that listens on `host` and `port`, and `more`. */
export function ownHosts(host: string, port: number, more: readonly string[]): ReadonlySet<string> {
  const names = ["127.0.0.1", "localhost", "[::1]", host.includes(":") ? `[${host}]` : host];
  const own = names.flatMap((name) => port === DEFAULT_PORT ? [name, `${name}:${port}`] : [`${name}:${port}`]);
  return new Set([...own, ...more].map((name) => name.toLowerCase()));
}

/** The origins that belong to the server itself, and `more`. */
export function ownOrigins(host: string, port: number, more: readonly string[]): ReadonlySet<string> {
  const own = [...ownHosts(host, port, [])].map((name) => `http://${name}`);
  return new Set([...own, ...more].map((origin) => origin.toLowerCase()));
}

/** Whether only programs on this machine can reach `host`. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/** Headers that let a page of an allowed origin read the answer; empty without an origin. */
export function corsHeaders(origin: string | null): Readonly<Record<string, string>> {
  if (origin === null) return {};
  return {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Expose-Headers": "Mcp-Session-Id, Mcp-Protocol-Version, WWW-Authenticate",
    "Vary": "Origin",
  };
}

/** Headers of the answer to a CORS preflight. */
export function preflightHeaders(origin: string | null): Readonly<Record<string, string>> {
  if (origin === null) return { Allow: ALLOWED_METHODS };
  return {
    ...corsHeaders(origin),
    "Access-Control-Allow-Methods": ALLOWED_METHODS,
    "Access-Control-Allow-Headers":
      "Accept, Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Mcp-Session-Id",
    "Access-Control-Max-Age": "600",
  };
}

function siteProblem({ headers }: RequestHead, { hosts, origins }: GuardRules): Refusal | undefined {
  const host = headers.get("host");
  if (host === null || !hosts.has(host.toLowerCase())) {
    return refuse(
      403,
      `Forbidden: Host "${host ?? ""}" is not allowed; name it with --allow-host if it is this server's`,
    );
  }
  const origin = headers.get("origin");
  if (origin !== null && !origins.has(origin.toLowerCase())) {
    const wayOut = "name it with --allow-origin if its pages may use this server";
    return refuse(403, `Forbidden: Origin "${origin}" is not allowed; ${wayOut}`);
  }
  return undefined;
}

function loopProblem({ headers }: RequestHead, { instance }: GuardRules): Refusal | undefined {
  if (headers.get(INSTANCE_HEADER) !== instance) return undefined;
  return refuse(
    508,
    "Loop detected: this server is named as a server behind itself. Remove its address from --mcp-config",
  );
}

function pathRoute({ path, method }: RequestHead): Refusal | Route | undefined {
  if (path === ENDPOINT) return undefined;
  if (path !== HEALTH && path !== CARD) {
    return refuse(404, `Not found: the endpoint of this server is ${ENDPOINT}`);
  }
  if (method !== "GET" && method !== "HEAD") return notAllowed(method, "GET, HEAD");
  return path === HEALTH ? "health" : "card";
}

function tokenProblem({ headers }: RequestHead, token: string | undefined): Refusal | undefined {
  if (token === undefined) return undefined;
  const given = /^bearer\s+(\S+)\s*$/i.exec(headers.get("authorization") ?? "")?.[1];
  if (given !== undefined && equalInConstantTime(given, token)) return undefined;
  return given === undefined
    ? refuse(401, TOKEN_MISSING, { "WWW-Authenticate": "Bearer" })
    : refuse(401, "Unauthorized: the token is not this server's", {
      "WWW-Authenticate": 'Bearer error="invalid_token"',
    });
}

const TOKEN_MISSING =
  'Unauthorized: send the header "Authorization: Bearer TOKEN" with the token of the file that the server named';

function methodRoute({ method, headers }: RequestHead): Refusal | Route {
  if (method === "POST") return contentProblem(headers) ?? "post";
  if (method === "DELETE") return "delete";
  if (method !== "GET") return notAllowed(method, ALLOWED_METHODS);
  return takesStream(headers.get("accept"))
    ? "get"
    : refuse(406, "Not acceptable: a GET is answered with text/event-stream, which the Accept header leaves out");
}

function contentProblem(headers: Headers): Refusal | undefined {
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type === "application/json") return codingProblem(headers);
  return refuse(415, `Unsupported media type "${type ?? ""}": the body of a POST is application/json`);
}

/** Compressed bodies are refused, because a small one could become a large message (RFC 9110, 15.5.16 and 12.5.3). */
function codingProblem(headers: Headers): Refusal | undefined {
  const coding = headers.get("content-encoding");
  const codings = coding?.split(",").map((one) => one.trim().toLowerCase()) ?? [];
  if (codings.every((one) => one === "" || one === "identity")) return undefined;
  return refuse(415, `Unsupported content encoding "${coding?.slice(0, 40)}": send the body of a POST as it is`, {
    "Accept-Encoding": "identity",
  });
}

function notAllowed(method: string, allow: string): Refusal {
  return refuse(405, `Method ${method} is not allowed here`, { Allow: allow });
}
