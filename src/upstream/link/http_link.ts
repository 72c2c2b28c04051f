/** A server at an address: streamable HTTP, or the older transport with SSE (O1). The official client is loaded when needed. */
import type { Client, ClientCapabilities, Tool, Transport } from "@modelcontextprotocol/client";
import { messageOf } from "../../base/errors.ts";
import { aborted, delay } from "../../base/time.ts";
import { VERSION } from "../../base/version.ts";
import { shorten } from "../../base/visible_text.ts";
import type { Answer } from "../../child_server/pending_calls.ts";
import { INSTANCE_HEADER } from "../../wire/instance.ts";
import { ANYTHING } from "../../service/sdk/wrong_parameters.ts";
import { INVALID_REQUEST } from "../../wire/json_rpc_message.ts";
import { isObject, member } from "../../wire/json_value.ts";
import type { HttpSpec } from "../config/server_spec.ts";
import type { TransportAuth } from "../oauth/transport_auth.ts";
import { TAKEN_OUT } from "./bounded_events.ts";
import { endCancelled, limitAnswers, throttledReconnect, wholeResult } from "./throttled_transport.ts";
import { busyFor, isBusyStatus, serverFetch, watchedFetch } from "./server_fetch.ts";
import { CANCELLED, type Link, type LinkHooks, type LinkRequest } from "./link.ts";

export interface HttpLinkOptions {
  readonly spec: Pick<HttpSpec, "url" | "headers" | "transport">;
  /** The login of a person; undefined: only the headers of the configuration are sent. */
  readonly auth: TransportAuth | undefined;
  /** What is declared to the server in addition to what clients support. */
  readonly extensions?: Readonly<Record<string, object>> | undefined;
  /** By which this program recognizes its own requests; undefined: it is not an HTTP server. */
  readonly instance: string | undefined;
}

/** Time for each answer until the connection is made, milliseconds. */
const CONNECT_MS = 30_000;
/** Most characters shown of what a server says instead of an answer. */
const LONGEST_REASON = 300;
/** Answers of a server that does not know the current transport. */
const NOT_STREAMABLE: readonly number[] = [400, 404, 405];
/** How often a server may ask for more input in one call. */
const MOST_ROUNDS = 10;
/** Before a request is repeated with nothing but the server's state, milliseconds. */
const STATE_ONLY_MS = 500;
const SESSION_LOST = 404;
/** The answer of an HTTP server of this program to its own request. */
const LOOP = 508;
const CONNECTION_LOST = -32000;
const INTERNAL_ERROR = -32603;

/** One session with the server. */
interface Connection {
  readonly client: Client;
  readonly listens: ResourceListens;
  /** Why no more answers come; undefined: they may come. */
  broken: Error | undefined;
}

/** Connects; rejects with the reason for a person. */
export async function openHttpLink(options: HttpLinkOptions, hooks: LinkHooks): Promise<Link> {
  let connection = await connect(options, hooks);
  let renewing: Promise<void> | undefined;
  const answered = async ({ client, listens }: Connection, request: LinkRequest): Promise<Answer> => {
    const answer = ResourceListens.has(client, request)
      ? { result: { ...await listens.request(client, request) } }
      : await ask(client, request);
    hooks.onUp();
    return answer;
  };
  const renew = async (): Promise<void> => {
    const { client: old } = connection;
    connection = await connect(options, hooks);
    await old.close();
    hooks.onFresh();
  };
  return {
    get hello() {
      const { client } = connection;
      return {
        protocolVersion: client.getNegotiatedProtocolVersion() ?? "",
        capabilities: client.getServerCapabilities() ?? {},
        instructions: client.getInstructions(),
        server: client.getServerVersion(),
      };
    },
    async request(request) {
      const used = connection;
      try {
        if (used.broken === undefined) return await answered(used, request);
      } catch (thrown) {
        if (request.signal?.aborted) return CANCELLED;
        if (statusOf(thrown) !== SESSION_LOST) return lost(request, hooks, used.broken ?? thrown);
      }
      // The server no longer knows the session, so it did nothing: the request is safe to repeat in a new one.
      try {
        if (used === connection) await (renewing ??= renew().finally(() => renewing = undefined));
        return await answered(connection, request);
      } catch (thrown) {
        return request.signal?.aborted ? CANCELLED : lost(request, hooks, connection.broken ?? thrown);
      }
    },
    close: () => connection.client.close(),
  };
}

async function ask(client: Client, request: LinkRequest): Promise<Answer> {
  let params = request.params;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    let result: unknown;
    try {
      result = await send(client, { ...request, params });
    } catch (thrown) {
      return protocolError(thrown);
    }
    if (!isObject(result)) return failed("The server's answer is not an object");
    if (result["resultType"] !== "input_required") return { result };
    const given = await inputFor(result, request);
    if ("error" in given) return given;
    params = { ...request.params, ...given.result };
  }
  return failed(`The server asked ${MOST_ROUNDS} times for more input`);
}

/** What a request is repeated with: answers to everything that the server asks, and its state unchanged. */
async function inputFor(
  { inputRequests, requestState }: Readonly<Record<string, unknown>>,
  { onQuestion, signal }: LinkRequest,
): Promise<Answer> {
  const state = typeof requestState === "string" ? { requestState } : {};
  const questions = isObject(inputRequests) ? Object.entries(inputRequests) : [];
  // A state without questions asks the client to wait.
  if (questions.length === 0) await delay(STATE_ONLY_MS, signal);
  if (questions.length === 0 || onQuestion === undefined) return { result: state };
  const answers = await Promise.all(
    questions.map(([, question]) => onQuestion(String(member(question, "method")), member(question, "params"))),
  );
  const error = answers.find((answer) => "error" in answer);
  if (error !== undefined) return error;
  const inputResponses = Object.fromEntries(
    answers.map((answer, index) => [questions[index]?.[0], "result" in answer ? answer.result : {}]),
  );
  return { result: { inputResponses, ...state } };
}

function failed(message: string): Answer {
  return { error: { code: INTERNAL_ERROR, message } };
}

async function send(
  client: Client,
  { method, params, timeoutMs, onProgress, signal, headerSchema }: LinkRequest,
): Promise<unknown> {
  const options = {
    timeout: timeoutMs,
    resetTimeoutOnProgress: true,
    allowInputRequired: true,
    // Without a listener the SDK asks for no progress.
    onprogress: (progress: object) => onProgress?.({ ...progress }),
    ...signal !== undefined && { signal },
  };
  // The result is passed on, and no member of it may be lost.
  if (headerSchema === undefined) {
    return wholeResult(await client.request({ method, params: { ...params } }, ANYTHING, options));
  }
  const name = String(params["name"]);
  // Its own arguments, and a schema that was found to be one.
  const toolDefinition = { name, inputSchema: headerSchema } as Tool;
  return wholeResult(await client.callTool({ ...params, name }, { ...options, toolDefinition }));
}

/** An error that the server answered with; anything else is rethrown. */
function protocolError(thrown: unknown): Answer {
  if (
    thrown instanceof Error && "code" in thrown && typeof thrown.code === "number" && statusOf(thrown) === undefined
  ) {
    const data = "data" in thrown ? thrown.data : undefined;
    return { error: { code: thrown.code, message: thrown.message, ...data !== undefined && { data } } };
  }
  throw thrown;
}

function lost({ method, params }: LinkRequest, hooks: LinkHooks, thrown: unknown): Answer {
  const reason = reasonOf(thrown);
  hooks.onDown(reason);
  if (busyFor(thrown) !== undefined || isBusyStatus(statusOf(thrown))) {
    return {
      error: { code: CONNECTION_LOST, message: `${reason}. It did not take the request, so repeating it is safe.` },
    };
  }
  const safe = method !== "tools/call" || hooks.isReadOnlyTool(String(params["name"]));
  const advice = safe
    ? "It changes nothing, so repeating it is safe."
    : "It may have taken effect: check before you repeat it.";
  return { error: { code: CONNECTION_LOST, message: `${reason}. ${advice}` } };
}

async function connect(options: HttpLinkOptions, hooks: LinkHooks): Promise<Connection> {
  const { transport: kind } = options.spec;
  try {
    return await connectBy(kind === "sse" ? "sse" : "streamable", options, hooks);
  } catch (thrown) {
    if (kind !== "either" || !NOT_STREAMABLE.includes(statusOf(thrown) ?? 0)) throw refusalOf(thrown);
    try {
      return await connectBy("sse", options, hooks);
    } catch (again) {
      hooks.log.debug("No SSE either", { error: messageOf(again) });
      throw refusalOf(thrown);
    }
  }
}

/** The cause stays: it may say when the server can be asked again. */
function refusalOf(thrown: unknown): Error {
  return new Error(reasonOf(thrown), { cause: thrown });
}

async function connectBy(
  kind: "streamable" | "sse",
  options: HttpLinkOptions,
  { onNotification, onRequest, onDown, offers, stop, log }: LinkHooks,
): Promise<Connection> {
  const toldOf = (what: string) => ({
    autoRefresh: false,
    onChanged: () => onNotification(`notifications/${what}/list_changed`, {}),
  });
  const { Client, ProtocolError } = await import("@modelcontextprotocol/client");
  const client = new Client({ name: "ahma_mcp", version: VERSION }, {
    versionNegotiation: kind === "sse" ? { mode: "legacy" } : { mode: "auto", probe: { timeoutMs: CONNECT_MS } },
    capabilities: { ...offers, ...options.extensions && { extensions: options.extensions } } as ClientCapabilities, // as a client declared them in JSON
    inputRequired: { autoFulfill: false },
    listChanged: { tools: toldOf("tools"), resources: toldOf("resources"), prompts: toldOf("prompts") },
  });
  client.fallbackNotificationHandler = ({ method, params }) => Promise.resolve(onNotification(method, params));
  client.fallbackRequestHandler = async ({ method, params }) => {
    if (method === TAKEN_OUT) throw new ProtocolError(INVALID_REQUEST, String(member(params, "problem")));
    const answer = await onRequest(method, params);
    if ("result" in answer) return { ...answer.result };
    throw new ProtocolError(answer.error.code, answer.error.message);
  };
  client.onerror = (error) => log.debug("A server's connection", { error: messageOf(error) });
  const connection: Connection = { client, listens: new ResourceListens(), broken: undefined };
  const onEnd = (reason: Error) => {
    // It was closed from here.
    if (client.transport === undefined) return;
    connection.broken = reason;
    onDown(reasonOf(reason));
    void client.close();
  };
  try {
    const connected = client.connect(await transportOf(kind, options, onEnd), { timeout: CONNECT_MS, signal: stop });
    // The SDK ignores the signal while it asks for the server's version.
    await Promise.race([connected, aborted(stop)]);
    if (stop.aborted) throw new Error("This program ends");
  } catch (thrown) {
    await client.close();
    throw connection.broken ?? thrown;
  }
  return connection;
}

async function transportOf(
  kind: "streamable" | "sse",
  { spec: { url, headers }, auth, instance }: HttpLinkOptions,
  onEnd: (reason: Error) => void,
): Promise<Transport> {
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const options = {
    ...auth,
    fetch: kind === "sse" ? watchedFetch(auth?.fetch ?? serverFetch, onEnd) : auth?.fetch ?? serverFetch,
    requestInit: {
      headers: {
        ...Object.fromEntries(Object.entries(headers).map(([name, { text }]) => [name, text])),
        ...instance !== undefined && { [INSTANCE_HEADER]: instance },
      },
    },
    reconnectionScheduler: throttledReconnect,
  };
  return limitAnswers(
    kind === "sse"
      ? new SSEClientTransport(new URL(url.text), options)
      : endCancelled(new StreamableHTTPClientTransport(new URL(url.text), options)),
  );
}

/** The status of a refused request; undefined: the request was not refused by HTTP. */
function statusOf(thrown: unknown): number | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if ("status" in error && typeof error.status === "number") return error.status;
    // The SDK's class for SSE has it under another name.
    if ("code" in error && typeof error.code === "number" && error.code >= 400 && error.code < 600) return error.code;
  }
  return undefined;
}

function reasonOf(thrown: unknown): string {
  if (statusOf(thrown) === LOOP) return "The address is this program's own: servers may not serve each other";
  let reason = messageOf(thrown).replace(/^Version negotiation (?:probe )?failed: /, "");
  // The innermost cause is the most specific, such as why a name has no address.
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (!reason.includes(error.message) && !error.message.includes(reason)) reason += `: ${error.message}`;
  }
  // The runtime names the whole address, which may hold a key.
  const told = reason.replaceAll(/error sending request for url \(.*?\): |client error \(\w+\): /g, "");
  return shorten(told, LONGEST_REASON);
}

/** Subscriptions to resources at a server of 2026-07-28, where each is a separate stream instead of a request. */
class ResourceListens {
  readonly #open = new Map<string, { close(): Promise<void> }>();

  /** Whether the request is one of those that this version does not know. */
  static has(client: Client, { method }: LinkRequest): boolean {
    return client.getProtocolEra() === "modern" && /^resources\/(un)?subscribe$/.test(method);
  }

  /** Does what the request would do. */
  async request(client: Client, { method, params, timeoutMs }: LinkRequest): Promise<object> {
    const uri = String(params["uri"]);
    await this.#open.get(uri)?.close();
    this.#open.delete(uri);
    if (method === "resources/subscribe") {
      this.#open.set(uri, await client.listen({ resourceSubscriptions: [uri] }, { timeout: timeoutMs }));
    }
    return {};
  }
}
