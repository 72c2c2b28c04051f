/**
 * The HTTP endpoint (H1): the guard decides about each request, then health, the card or the protocol answers it. A request of a
 * version up to 2025-11-25 belongs to a session; a request of 2026-07-28 is stateless.
 */
import {
  isInitializeRequest,
  isLegacyRequest,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import type { UserError } from "../base/errors.ts";
import { INITIALIZE_PARAMETERS } from "../service/sdk/initialize_order.ts";
import { BATCH_REFUSED, INVALID_REQUEST, PARSE_ERROR, type WireMessage } from "../wire/json_rpc_message.ts";
import { member } from "../wire/json_value.ts";
import { LONGEST_MESSAGE } from "../wire/message_bounds.ts";
import type { ClientMessage } from "./session/backend.ts";
import { CARD_HEADERS, serverCard } from "./server_card.ts";
import { corsHeaders, guard, type GuardRules, ownHosts, preflightHeaders, type Route } from "../http/request_guard.ts";
import { Listener, type ListenerOptions } from "../http/listener.ts";
import type { StatelessHandler } from "./stateless/stateless_handler.ts";
import { type AnswerForm, postForm, takesStream } from "../http/accept_header.ts";
import { type BodyProblem, BodyReader } from "../http/read_body.ts";
import { type Refusal, refusalResponse, refuse } from "../http/refusal.ts";
import { type HttpSession, SESSION_HEADER, sessionMissing, sessionNotFound } from "./session/session.ts";
import type { SessionStore } from "./session/session_store.ts";
import { encodeText } from "../base/text.ts";
import { EVENT_STREAM_HEADERS } from "../http/event_stream.ts";

interface HttpServerOptions extends Omit<ListenerOptions, "serve"> {
  /** The rules of the guard for the port that is bound. */
  readonly rules: (port: number) => GuardRules;
  readonly sessions: SessionStore;
  readonly stateless: StatelessHandler;
  /** Whether clients may learn of this program before they connect; absent: another server is behind, or none. */
  readonly hasCard?: boolean;
  /** Absent: every process is served. */
  readonly peerProblem?: PeerProblem;
}

/** Why the process at the other end may begin no session and send no stateless request (S6); undefined: it may. */
export type PeerProblem = (peer: Deno.NetAddr, ownPort: number) => string | undefined;

const INVALID_PARAMS = -32602;
/** The stateless version, which has neither GET nor DELETE. */
const STATELESS_VERSION = "2026-07-28";

/** A message of a POST, and the form that its answer takes. */
interface Posted {
  readonly message: ClientMessage;
  readonly form: AnswerForm;
}

/** A listening server. */
export class HttpServer {
  readonly host: string;
  readonly port: number;
  readonly #options: HttpServerOptions;
  readonly #listener: Listener;
  readonly #rules: GuardRules;
  readonly #bodies = new BodyReader();

  /** Listens. @throws {UserError} When the address is not available. */
  constructor(options: HttpServerOptions) {
    const { host, port, log, rules } = options;
    this.#options = options;
    this.#listener = new Listener({ host, port, serve: (request, peer) => this.#serve(request, peer), log });
    ({ hostname: this.host, port: this.port } = this.#listener.address);
    // Connections are accepted in a later turn.
    this.#rules = rules(this.port);
  }

  /** Resolves when the port is lost for good; otherwise never. */
  get lost(): Promise<UserError> {
    return this.#listener.lost;
  }

  /** Refuses new sessions, lets running work end (X14), closes streams and connections (H11). */
  async stop(): Promise<void> {
    const { sessions, stateless } = this.#options;
    // Both at the same time, because they share one grace (X14).
    await Promise.all([sessions.close("The server is shutting down"), stateless.close()]);
    await this.#listener.stop();
  }

  async #serve(request: Request, peer: Deno.NetAddr): Promise<Response> {
    const { method, headers } = request;
    // A `Host` that makes no URL is refused as a foreign host.
    const path = URL.parse(request.url)?.pathname ?? "";
    const route = guard({ method, path, headers }, this.#rules);
    if (typeof route !== "string") {
      this.#options.log.debug("Refused a request", { status: route.status, reason: route.message });
      return withCors(refusalResponse(route), route.status === 403 ? null : headers.get("origin"));
    }
    const answer = await this.#route(route, request, peer);
    const response = answer instanceof Response ? answer : refusalResponse(answer);
    return withCors(response, headers.get("origin"));
  }

  #route(route: Route, request: Request, peer: Deno.NetAddr): Promise<Response | Refusal> | Response | Refusal {
    switch (route) {
      case "health":
        return new Response(request.method === "HEAD" ? null : "OK", { headers: { "Content-Type": "text/plain" } });
      case "card":
        return this.#card(request);
      case "preflight":
        return new Response(null, { status: 204, headers: preflightHeaders(request.headers.get("origin")) });
      case "post":
        return this.#post(request, peer);
      case "get":
        return this.#withSession(request, (session) => session.listen(request.headers.get("last-event-id")));
      case "delete":
        return this.#withSession(request, (session) => {
          void session.end("The client ended the session");
          return new Response(null, { status: 204 });
        });
    }
  }

  #card({ method, headers }: Request): Response | Refusal {
    if (this.#options.hasCard !== true) {
      return refuse(404, "Not found: this server does not know the card of the server behind it");
    }
    const host = headers.get("host") ?? "";
    const isOwn = ownHosts(this.host, this.port, []).has(host.toLowerCase());
    const stateless = this.#options.stateless.refuses === true ? [] : [STATELESS_VERSION];
    const versions = [...SUPPORTED_PROTOCOL_VERSIONS, ...stateless].toSorted();
    const card = serverCard({ host, isOwn, needsToken: this.#rules.token !== undefined, versions });
    return new Response(method === "HEAD" ? null : JSON.stringify(card), { headers: CARD_HEADERS });
  }

  async #post(request: Request, peer: Deno.NetAddr): Promise<Response | Refusal> {
    const form = postForm(request.headers.get("accept"));
    if (form === undefined) return NOT_ACCEPTABLE;
    const body = await this.#bodies.read(request);
    if (!body.ok) return BODY_REFUSALS[body.problem];
    const wire = body.value;
    if (wire.kind === "batch") return await this.#batch(request, wire.items, form);
    const problem = wireProblem(wire);
    if (problem !== undefined) return problem;
    const message = wire as ClientMessage; // neither invalid nor blank: those are problems
    const answer = await this.#message(request, peer, { message, form });
    return answer instanceof Response || message.kind !== "request" ? answer : { id: message.id, ...answer };
  }

  #batch(request: Request, items: readonly WireMessage[], form: AnswerForm): Promise<Response | Refusal> | Refusal {
    const refused = { status: 400, code: BATCH_REFUSED.code, message: BATCH_REFUSED.problem };
    if (!request.headers.has(SESSION_HEADER)) return refused;
    return this.#withSession(
      request,
      (session) => session.takesBatches ? answerBatch(items, form, (message) => session.post(message, form)) : refused,
    );
  }

  async #message(request: Request, peer: Deno.NetAddr, { message, form }: Posted): Promise<Response | Refusal> {
    if (!(surelyHasSession(request.headers, message) ?? await hasSession(request, message))) {
      return await this.#stateless(request, peer, { message, form });
    }
    if (message.kind === "request" && message.method === "initialize") {
      return await this.#begin(request, peer, { message, form });
    }
    return await this.#withSession(request, (session) => session.post(message, form));
  }

  #stateless(request: Request, peer: Deno.NetAddr, { message, form }: Posted): Promise<Response> | Refusal {
    const forbidden = this.#peerRefusal(peer);
    if (forbidden !== undefined) return forbidden;
    const { stateless } = this.#options;
    const listens = message.kind === "request" && message.method === "subscriptions/listen";
    if (!listens) return stateless.handle(request, message.message, form);
    // The answer comes at the end of the subscription.
    if (takesStream(request.headers.get("accept"))) return stateless.handle(request, message.message, "stream");
    const asked = `${message.method} is answered with text/event-stream, which the Accept header does not allow`;
    return refuse(406, `Not acceptable: ${asked}`);
  }

  async #begin(request: Request, peer: Deno.NetAddr, { message, form }: Posted): Promise<Response | Refusal> {
    const { sessions } = this.#options;
    const named = request.headers.get(SESSION_HEADER);
    if (named !== null) {
      if (sessions.get(named) === undefined) return sessionNotFound();
      return { status: 400, code: INVALID_REQUEST, message: "Invalid request: the session is initialized already" };
    }
    if (!isInitializeRequest(message.message)) {
      return { status: 400, code: INVALID_PARAMS, message: INITIALIZE_PARAMETERS };
    }
    const forbidden = this.#peerRefusal(peer);
    if (forbidden !== undefined) return forbidden;
    const session = sessions.open(message.message.params);
    return "status" in session ? session : await session.post(message, form);
  }

  #peerRefusal(peer: Deno.NetAddr): Refusal | undefined {
    const problem = this.#options.peerProblem?.(peer, this.port);
    return problem === undefined ? undefined : refuse(403, `Forbidden: ${problem}`);
  }

  #withSession<Answer>(request: Request, serve: (session: HttpSession) => Answer): Answer | Refusal {
    const { method, headers } = request;
    const version = headers.get("mcp-protocol-version");
    if (version !== null && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) {
      return version === STATELESS_VERSION && method !== "POST" ? onlyPost(method) : unsupportedVersion(version);
    }
    const id = headers.get(SESSION_HEADER);
    if (id === null) return sessionMissing();
    const session = this.#options.sessions.get(id);
    return session === undefined ? sessionNotFound() : serve(session);
  }
}

/** Whether the version of a message has sessions, as the SDK decides it. */
function hasSession({ url, headers }: Request, { message }: ClientMessage): Promise<boolean> {
  return isLegacyRequest(new Request(url, { method: "POST", headers }), message);
}

/** The same for messages that leave no doubt, which are most, in a tenth of the time; undefined: the SDK decides. */
function surelyHasSession(headers: Headers, { message }: ClientMessage): boolean | undefined {
  const version = headers.get("mcp-protocol-version");
  const isEnveloped = member(member(member(message, "params"), "_meta"), PROTOCOL_VERSION_META_KEY) !== undefined;
  if (!isEnveloped && (version === null || SUPPORTED_PROTOCOL_VERSIONS.includes(version))) return true;
  const isOther = version === STATELESS_VERSION && "method" in message && message.method !== "initialize";
  return isOther ? false : undefined;
}

function withCors(response: Response, origin: string | null): Response {
  for (const [name, value] of Object.entries(corsHeaders(origin))) response.headers.set(name, value);
  return response;
}

function wireProblem(wire: WireMessage): Refusal | undefined {
  if (wire.kind === "invalid") return { status: 400, code: wire.code, message: wire.problem, id: wire.id };
  if (wire.kind === "blank") return { status: 400, code: PARSE_ERROR, message: "Parse error: the body is empty" };
  return undefined;
}

const NOT_ACCEPTABLE = refuse(
  406,
  "Not acceptable: answers are application/json or text/event-stream, and the Accept header allows neither",
);
const BODY_REFUSALS: Readonly<Record<BodyProblem, Refusal>> = {
  too_large: refuse(413, `Too large: a message has at most ${LONGEST_MESSAGE} bytes`),
  too_many: refuse(503, "Service unavailable: other large messages are being read; send this one again", {
    "Retry-After": "1",
  }),
  too_slow: refuse(408, "Timed out reading the request body"),
};

function onlyPost(method: string): Refusal {
  return refuse(405, `Method ${method} is not allowed: version ${STATELESS_VERSION} has only POST`, { Allow: "POST" });
}

function unsupportedVersion(version: string): Refusal {
  const supported = `not supported in a session (${SUPPORTED_PROTOCOL_VERSIONS.join(", ")} are)`;
  return refuse(400, `Bad request: MCP-Protocol-Version "${version.slice(0, 40)}" is ${supported}`);
}

/** Serves a batch as one list or stream. An invalid item refuses the whole batch. */
async function answerBatch(
  items: readonly WireMessage[],
  form: AnswerForm,
  post: (message: ClientMessage) => Promise<Response | Refusal>,
): Promise<Response | Refusal> {
  const wrong = items.find((item) => item.kind === "invalid");
  if (wrong !== undefined) return { status: 400, code: wrong.code, message: wrong.problem, id: wrong.id };
  const answers = await Promise.all(items.map(async (item) => {
    const answer = await post(item as ClientMessage); // neither invalid nor a batch itself
    if (answer instanceof Response) return answer;
    return refusalResponse({ id: item.kind === "request" ? item.id : null, ...answer });
  }));
  const told = answers.filter(({ status }) => status !== 202);
  const [first] = told;
  if (first === undefined) return new Response(null, { status: 202 });
  const { headers } = first;
  if (form === "json") return Response.json(await Promise.all(told.map((answer) => answer.json())), { headers });
  const all = new Headers(headers);
  for (const [name, value] of Object.entries(EVENT_STREAM_HEADERS)) all.set(name, value);
  return new Response(oneAfterTheOther(await Promise.all(told.map(eventsOf))), { headers: all });
}

/** The events of an answer; a JSON answer is one event. */
async function eventsOf(answer: Response): Promise<ReadableStream<Uint8Array>> {
  const isStream = answer.headers.get("content-type") === EVENT_STREAM_HEADERS["Content-Type"];
  if (isStream && answer.body !== null) return answer.body;
  return ReadableStream.from([encodeText(`event: message\ndata: ${await answer.text()}\n\n`)]);
}

/** Reads the streams one after another; cancelling the result cancels all of them. */
function oneAfterTheOther(streams: readonly ReadableStream<Uint8Array>[]): ReadableStream<Uint8Array> {
  const readers = streams.map((stream) => stream.getReader());
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (let [reader] = readers; reader !== undefined; [reader] = readers) {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        readers.shift();
      }
      controller.close();
    },
    async cancel(reason) {
      await Promise.all(readers.map((reader) => reader.cancel(reason)));
    },
  });
}
