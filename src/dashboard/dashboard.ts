/** The dashboard (V2, V3): one page on a port of this machine for all servers of a user, and what the page asks for. */
import { startOf } from "../base/bytes.ts";
import { messageOf, UserError } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { failure, type Outcome, success } from "../base/outcome.ts";
import type { FoundServer } from "../control/client/running_servers.ts";
import { ServerLine } from "../control/client/server_line.ts";
import { WatchedServers } from "../control/client/watched_servers.ts";
import { type ControlRequest, type Given, readSize } from "../control/protocol/messages.ts";
import { EVENT_STREAM_HEADERS, EventStream } from "../http/event_stream.ts";
import { Listener } from "../http/listener.ts";
import type { UnixStreams } from "../system/sockets/unix_stream.ts";
import { parseJson } from "../wire/json_value.ts";
import { askFor, type DashboardAction, readAction, type StreamAction } from "./dashboard_action.ts";
import { dashboardGuard } from "./dashboard_guard.ts";
import { OutputRelay } from "./output_relay.ts";
import { type PageText, pageText, PRIVATE_HEADERS } from "./page_text.ts";
import { ServerFeed } from "./server_feed.ts";

/** Reads changes and audit logs, for rooms above this one. Texts are JSON; a problem is worded for the person. */
export interface DashboardSources {
  /** The summary of audit logs; `since`: such as `7d`. */
  history(since: string, servers: readonly FoundServer[]): Promise<Outcome<string>>;
  /** What operations of a server changed, or that of one. */
  changes(server: FoundServer, operation: string | undefined): Promise<Outcome<string>>;
  /** Undoes what an operation changed. */
  undo(server: FoundServer, operation: string, paths: readonly string[] | undefined): Promise<Outcome<string>>;
}

export interface DashboardOptions {
  /** Closed with the dashboard. */
  readonly streams: UnixStreams;
  readonly environment: Readonly<Record<string, string>>;
  /** 0: any free port. */
  readonly port: number;
  readonly token: string;
  readonly sources: DashboardSources;
  readonly log: Logger;
}

const HOST = "127.0.0.1";
const KEEP_ALIVE_MS = 15_000;
/** The most streams of all pages together. */
const MOST_STREAMS = 24;
/** The most open outputs: each waits in one of the runtime's 32 threads, as the connection to each server does. */
const MOST_RELAYS = 8;
const MOST_ACTION_BYTES = 64 * 1024;
/** Most bytes in a line to a server. */
const MOST_INPUT_BYTES = 32 * 1024;
const SINCE = /^\d{1,4}[hdw]$/;

export class Dashboard implements AsyncDisposable {
  readonly #options: DashboardOptions;
  readonly #page: PageText;
  readonly #listener: Listener;
  readonly #watched: WatchedServers;
  readonly #feeds = new Map<EventStream, ServerFeed>();
  readonly #relays = new Map<string, OutputRelay>();
  readonly #open = new Set<EventStream>();

  private constructor(options: DashboardOptions, page: PageText) {
    this.#options = options;
    this.#page = page;
    const { streams, environment, port, log } = options;
    this.#watched = new WatchedServers({
      streams,
      environment,
      onChange: (change) => this.#feeds.values().forEach((feed) => feed.changed(change)),
    });
    this.#listener = new Listener({ host: HOST, port, serve: (request) => this.#serve(request), log });
  }

  /** Listens, and finds servers. @throws {UserError} When the port is taken. */
  static async open(options: DashboardOptions): Promise<Dashboard> {
    const dashboard = new Dashboard(options, await pageText());
    await dashboard.#watched.look();
    return dashboard;
  }

  /** The address of the page, with the token in its fragment, which no browser sends. */
  get url(): URL {
    return new URL(`http://${HOST}:${this.#listener.address.port}/#${this.#options.token}`);
  }

  /** Resolves when the port is lost for good; otherwise never. */
  get lost(): Promise<UserError> {
    return this.#listener.lost;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const relay of this.#relays.values()) relay[Symbol.dispose]();
    for (const feed of this.#feeds.values()) feed.end();
    for (const stream of this.#open) stream.close();
    await this.#listener.stop();
    await this.#watched[Symbol.asyncDispose]();
    this.#options.streams[Symbol.dispose]();
  }

  async #serve(request: Request): Promise<Response> {
    const { pathname: path, searchParams: query } = new URL(request.url);
    const { method, headers } = request;
    const { port } = this.#listener.address;
    const guarded = dashboardGuard({ method, path, headers }, { port, token: this.#options.token });
    if (!guarded.ok) return answer({ problem: guarded.problem.problem }, guarded.problem.status);
    switch (guarded.value) {
      case "page":
        return new Response(this.#page.html, { headers: { ...this.#page.headers } });
      case "events":
        return this.#events();
      case "output":
        return await this.#output(query);
      case "history": {
        const since = query.get("since") ?? "7d";
        if (!SINCE.test(since)) return answer({ problem: `"${since}" is not a time such as 24h or 7d` }, 400);
        return textAnswer(await this.#options.sources.history(since, [...this.#watched.named.values()]));
      }
      case "changes":
        return textAnswer(await this.#changes(query));
      case "action": {
        const done = await this.#act(request);
        return done.ok ? answer({ done: done.value }) : answer({ problem: done.problem }, 400);
      }
    }
  }

  #events(): Response {
    if (this.#open.size >= MOST_STREAMS) return tooMany();
    const stream = this.#stream(() => feed.end());
    const feed = new ServerFeed(stream, () => this.#watched.named);
    this.#feeds.set(stream, feed);
    void feed.run().finally(() => this.#feeds.delete(stream));
    return new Response(stream.body, { headers: { ...EVENT_STREAM_HEADERS, ...PRIVATE_HEADERS } });
  }

  async #output(query: URLSearchParams): Promise<Response> {
    const [found, id] = [this.#find(query.get("server")), query.get("operation") ?? ""];
    const operation = found?.server.operations.find((one) => one.id === id);
    if (this.#open.size >= MOST_STREAMS || this.#relays.size >= MOST_RELAYS) return tooMany();
    const line = found && await ServerLine.open(this.#options.streams, found.entry);
    if (line === undefined) return answer({ problem: "That server has ended" }, 404);
    const read = readSize({ columns: Number(query.get("columns")), rows: Number(query.get("rows")) });
    const size = read.ok ? read.value : undefined;
    const takesInput = operation?.input !== undefined && operation.ended === undefined;
    const asked: ControlRequest = takesInput
      ? { request: "attach", target: id, ...size !== undefined && { size } }
      : { request: "output", operation: id, follow: true };
    await line.request(asked);
    const name = crypto.randomUUID();
    const stream = this.#stream(() => relay[Symbol.dispose]());
    const relay = new OutputRelay({ id: name, stream, line, size: operation?.terminal === true ? size : undefined });
    this.#relays.set(name, relay);
    void relay.run()
      .catch((thrown: unknown) => this.#options.log.warn("Cannot show output", { error: messageOf(thrown) }))
      .finally(() => {
        this.#relays.delete(name);
        this.#open.delete(stream);
      });
    return new Response(stream.body, { headers: { ...EVENT_STREAM_HEADERS, ...PRIVATE_HEADERS } });
  }

  #stream(onGone: () => void): EventStream {
    const stream: EventStream = new EventStream({
      keepAliveMs: KEEP_ALIVE_MS,
      onGone: () => {
        this.#open.delete(stream);
        onGone();
      },
    });
    this.#open.add(stream);
    return stream;
  }

  async #changes(query: URLSearchParams): Promise<Outcome<string>> {
    const found = this.#find(query.get("server"));
    if (found === undefined) return failure("That server has ended");
    return await this.#options.sources.changes(found, query.get("operation") ?? undefined);
  }

  async #act(request: Request): Promise<Outcome<string>> {
    const { bytes, isWhole } = await startOf(request.body ?? [], MOST_ACTION_BYTES);
    if (!isWhole) return failure(`The action is longer than ${MOST_ACTION_BYTES} bytes`);
    const parsed = parseJson(new TextDecoder().decode(bytes));
    const read = parsed.ok ? readAction(parsed.value) : parsed;
    return read.ok ? await this.#perform(read.value) : read;
  }

  async #perform(action: DashboardAction): Promise<Outcome<string>> {
    if ("stream" in action) return await this.#give(action);
    const found = this.#find(action.server);
    if (action.action !== "undo") return await askFor(this.#options.streams, found, action);
    if (found === undefined) return failure("That server has ended");
    return await this.#options.sources.undo(found, action.operation, action.paths);
  }

  async #give(action: StreamAction): Promise<Outcome<string>> {
    const relay = this.#relays.get(action.stream);
    if (relay === undefined) return failure("That output is no longer shown");
    if (action.action === "input" && action.bytes.length > MOST_INPUT_BYTES) {
      return failure(`The input is longer than ${MOST_INPUT_BYTES} bytes: send it in parts`);
    }
    await relay.give(givenOf(action));
    return success("Given");
  }

  #find(key: string | null): FoundServer | undefined {
    return key === null ? undefined : this.#watched.named.get(key);
  }
}

function givenOf(action: StreamAction): Given {
  switch (action.action) {
    case "input":
      return { kind: "input", bytes: action.bytes };
    case "end_input":
      return { kind: "end" };
    case "size":
      return { kind: "size", size: { columns: action.columns, rows: action.rows } };
  }
}

function tooMany(): Response {
  return answer({ problem: "Too many pages are open: close one" }, 429);
}

function textAnswer(text: Outcome<string>): Response {
  if (!text.ok) return answer({ problem: text.problem }, 400);
  return new Response(text.value, { headers: { "Content-Type": "application/json", ...PRIVATE_HEADERS } });
}

function answer(value: object, status = 200): Response {
  return Response.json(value, { status, headers: { ...PRIVATE_HEADERS } });
}
