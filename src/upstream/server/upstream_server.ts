/**
 * One server of the configuration: connected at its first use, stopped when nothing uses it, its tools remembered.
 *
 *   cached → starting → ready → stopped (idle) → starting ...
 *                    ↘ failed → starting, with the next use after a delay that grows
 */
import type { LoggingLevel } from "@modelcontextprotocol/server";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { delay } from "../../base/time.ts";
import type { Answer } from "../../child_server/pending_calls.ts";
import type { ServerSpec } from "../config/server_spec.ts";
import { canonical } from "../definitions/definition.ts";
import type { ServerRecord } from "../definitions/pins.ts";
import type { RecordStore } from "../definitions/record_store.ts";
import { busyFor } from "../link/server_fetch.ts";
import type { Hello, Link, LinkHooks, LinkRequest, OpenLink } from "../link/link.ts";
import { type ClientOffers, joinedOffers } from "../../service/questions/question.ts";
import { ActiveCall, type CallAnswer, type ServerCall } from "../asking/active_call.ts";
import { ActiveCalls, afterAddresses } from "../asking/active_calls.ts";
import { BackOff } from "./back_off.ts";
import { LogMessages } from "../asking/log_messages.ts";
import { ClientSubscriptions } from "./client_subscriptions.ts";
import { KnownDefinitions } from "./known_definitions.ts";

/** The state of the server; `failed`: it could not be reached at its last use. */
export type ServerState = "unknown" | "cached" | "starting" | "ready" | "failed" | "stopped";

export interface UpstreamServerOptions {
  readonly spec: ServerSpec;
  /** Name of the record. */
  readonly id: string;
  readonly store: RecordStore;
  readonly open: OpenLink;
  /** Called when the tools may have changed. */
  readonly onChange: () => void;
  /** Gets its notifications except list changes. */
  readonly onNotice: (method: string, params: unknown) => void;
  readonly log: Logger;
}

const LIST_CHANGED: readonly string[] = ["tools", "resources", "prompts"].map((what) =>
  `notifications/${what}/list_changed`
);
/** How many lines of a reason a call's answer shows. */
const TOLD_LINES = 4;
/** Pause between two lists after the server's notifications; it grows while they continue. */
const REFRESH_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** The time limit of a link, whose silence is watched here instead: the longest that a timer accepts. */
const NO_LIMIT_MS = 2 ** 31 - 1;

export class UpstreamServer {
  readonly #options: UpstreamServerOptions;
  readonly #known: KnownDefinitions;
  /** Undefined until its first use. */
  #state: Exclude<ServerState, "unknown" | "cached"> | undefined;
  #problem: string | undefined;
  #hello: Hello | undefined;
  #denied: string | undefined;
  #link: Promise<Link> | undefined;
  readonly #backOff = new BackOff();
  #using = 0;
  readonly #calls: ActiveCalls;
  readonly #logs: LogMessages;
  readonly #subscriptions = new ClientSubscriptions();
  /** What the clients so far support. */
  #offers: ClientOffers = {};
  /** What the link was opened with. */
  #declared: ClientOffers = {};
  #idle: ReturnType<typeof setTimeout> | undefined;
  #refreshing: Promise<void> | undefined;
  #isDirty = false;
  readonly #closed = new AbortController();

  constructor(options: UpstreamServerOptions) {
    this.#options = options;
    this.#calls = new ActiveCalls(options.spec);
    this.#logs = new LogMessages(options.spec, options.log);
    this.#known = new KnownDefinitions(options.store, options.id);
  }

  get spec(): ServerSpec {
    return this.#options.spec;
  }

  get state(): ServerState {
    return this.#state ?? (this.record === undefined ? "unknown" : "cached");
  }

  /** Why it failed last, several lines; undefined: it has not failed since it was last ready. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The same, cut to a few lines for a model. */
  get reason(): string | undefined {
    return this.#problem === undefined ? undefined : this.#unusable(this.#problem);
  }

  /** Its answer when it was last connected; undefined: it never was. */
  get hello(): Hello | undefined {
    return this.#hello;
  }

  /** The last denial of its sandbox, as a sentence; undefined: none is known. */
  get denied(): string | undefined {
    return this.#denied;
  }

  /** When a failed server is tried again at the earliest, milliseconds of `performance.now()`. */
  get nextTry(): number {
    return this.#backOff.nextTry;
  }

  /** What is known about its tools; undefined: nothing yet. */
  get record(): ServerRecord | undefined {
    return this.#known.record;
  }

  /** The part of it that says how the server is used; undefined: nothing is known. */
  get instructions(): ServerRecord | undefined {
    return this.#known.instructions;
  }

  /** Reads the record again, because a person may have approved changes. True: the record has changed. */
  reload(): boolean {
    return this.#known.reload({ isConnected: this.#link !== undefined });
  }

  /** Connects to learn its tools; also resolves if that fails. */
  async learn(): Promise<void> {
    await this.#use(() => Promise.resolve());
  }

  /** Sends a request other than a tool call, connecting first if needed. */
  async request(request: LinkRequest): Promise<Answer> {
    return await this.#use((link) => link.request(request));
  }

  /** Notes what a client supports, for the server's next connection. */
  noteOffers(offers: ClientOffers): void {
    const { elicitation, sampling } = offers;
    this.#offers = joinedOffers(this.#offers, {
      ...elicitation !== undefined && { elicitation },
      ...this.spec.sampling && sampling !== undefined && { sampling },
    });
  }

  /** Sends a call, connecting first if needed. Returns the answer, and the requests of the server that were refused. */
  async call({ request, client, problem }: ServerCall): Promise<CallAnswer> {
    if (client !== undefined) this.noteOffers(client.offers);
    const seconds = this.spec.timeoutSeconds;
    const call = new ActiveCall({ client, request }, seconds * 1000);
    const { silence, signal, refused } = call;
    const work = () =>
      this.#use(async (link): Promise<Answer> => {
        const reason = problem();
        if (reason !== undefined) return refusal(reason);
        silence.restart();
        return await link.request({
          ...request,
          params: this.#subscriptions.inParams(request.params, link, client?.logLevel),
          timeoutMs: NO_LIMIT_MS,
          onQuestion: (method, params) => this.#calls.answer(method, params, call),
          onProgress(progress) {
            silence.restart();
            request.onProgress?.(progress);
          },
          signal,
        });
      });
    // A server may ask the user only while it works on a tool, and only that may cause a login.
    const answer = await (request.method === "tools/call" ? this.#calls.during(call, work) : work());
    silence.stop();
    const isLate = silence.signal.aborted && request.signal?.aborted !== true;
    const late = `The server did not answer ${request.method} within ${seconds} s; see timeoutSeconds`;
    return {
      answer: isLate
        ? refusal(late)
        : await afterAddresses(answer, (one) => this.#calls.answer("elicitation/create", one, call)),
      refused,
    };
  }

  /** Asks the server for log messages of this level and above. */
  setLogLevel(level: LoggingLevel): void {
    this.#subscriptions.setLevel(level, this.#link);
  }

  /** Subscribes to changes of a resource, also after restarts of the server. Returns the server's answer. */
  follow(uri: string): Promise<Answer> {
    return this.#subscriptions.follow(uri, (request) => this.request(request));
  }

  /** Ends one `follow`. */
  unfollow(uri: string): void {
    this.#subscriptions.unfollow(uri, this.#link);
    this.#beginIdle();
  }

  /** Ends the connection and its process for good. */
  async close(): Promise<void> {
    this.#closed.abort();
    clearTimeout(this.#idle);
    await this.#disconnect();
    await this.#refreshing;
  }

  async #use<Value>(work: (link: Link) => Promise<Value>): Promise<Value | Answer> {
    clearTimeout(this.#idle);
    this.#using++;
    try {
      await this.#renew();
      const link = await this.#connect();
      return await work(link);
    } catch (thrown) {
      return refusal(this.#unusable(messageOf(thrown)));
    } finally {
      this.#using--;
      this.#beginIdle();
    }
  }

  /** Connects again, because a server learns of client capabilities only then; not while work runs. */
  async #renew(): Promise<void> {
    if (this.#using > 1 || this.#link === undefined || canonical(this.#declared) === canonical(this.#offers)) return;
    await this.#disconnect();
  }

  /** Keeps it short for the model: the reason, and the last lines of stderr. */
  #unusable(problem: string): string {
    const [how = "", ...lines] = problem.split("\n");
    return [`Server "${this.spec.name}" cannot be used: ${how}`, ...lines.slice(-TOLD_LINES)].join("\n");
  }

  #connect(): Promise<Link> {
    if (this.#closed.signal.aborted) return Promise.reject(new Error("This program ends"));
    if (this.#link !== undefined) return this.#link;
    const wait = this.#backOff.nextTry - performance.now();
    if (wait > 0) {
      return Promise.reject(new Error(`${this.#problem ?? ""}\nThe next try is in ${Math.ceil(wait / 1000)} s`));
    }
    this.#state = "starting";
    const opening = this.#open();
    this.#link = opening;
    opening.catch((thrown) => this.#failed(thrown));
    return opening;
  }

  async #open(): Promise<Link> {
    const { open, log } = this.#options;
    this.#declared = this.#offers;
    const hooks: LinkHooks = {
      offers: this.#offers,
      onRequest: (method, params) => this.#calls.answer(method, params),
      onNotification: (method, params) => this.#notice(method, params),
      onFresh: () => this.#subscriptions.again(this.#link),
      onDown: (reason) => this.#down(reason),
      onUp: () => this.#up(),
      onDenied: (sentence) => this.#denied = sentence,
      isCalled: () => this.#calls.size > 0,
      isReadOnlyTool: (name) => this.#known.isReadOnly(name),
      stop: this.#closed.signal,
      log,
    };
    const link = await open(hooks);
    this.#hello = link.hello;
    try {
      await this.#learnFrom(link);
    } catch (thrown) {
      await link.close();
      throw thrown;
    }
    this.#up();
    this.#subscriptions.again(this.#link);
    return link;
  }

  #notice(method: string, params: unknown): void {
    if (LIST_CHANGED.includes(method)) this.#refreshSoon();
    else if (method === "notifications/message") this.#logs.forward(params, this.#calls.onlyClient);
    else if (method === "notifications/elicitation/complete") this.#calls.addresses.completed(params);
    else this.#options.onNotice(method, params);
  }

  #up(): void {
    if (this.#link === undefined) return;
    this.#state = "ready";
    this.#problem = undefined;
    this.#backOff.reset();
  }

  /** The link reopens by itself, or with its next request. */
  #down(reason: string): void {
    if (this.#state !== "ready") return;
    this.#problem = reason;
    this.#state = "failed";
  }

  #failed(thrown: unknown): void {
    const reason = messageOf(thrown);
    this.#link = undefined;
    this.#state = "failed";
    this.#problem = reason;
    this.#backOff.failed(performance.now(), busyFor(thrown));
    this.#options.log.warn("A server cannot be used", { server: this.spec.name, reason });
  }

  #beginIdle(): void {
    const { idleSeconds } = this.spec;
    if (
      this.#using > 0 || this.#subscriptions.size > 0 || idleSeconds === 0 || this.#link === undefined ||
      this.#closed.signal.aborted
    ) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.#stop(), idleSeconds * 1000);
  }

  async #stop(): Promise<void> {
    this.#state = "stopped";
    await this.#disconnect();
  }

  async #disconnect(): Promise<void> {
    const link = this.#link;
    this.#link = undefined;
    const [opened] = await Promise.allSettled([link]);
    if (opened.status === "fulfilled") await opened.value?.close();
  }

  /** Requests only one list at a time, however often the server announces changes. */
  #refreshSoon(): void {
    this.#isDirty = true;
    this.#refreshing ??= this.#refresh().finally(() => this.#refreshing = undefined);
  }

  async #refresh(): Promise<void> {
    for (
      let pause = REFRESH_PAUSE_MS;
      this.#isDirty && !this.#closed.signal.aborted;
      pause = Math.min(LONGEST_PAUSE_MS, pause * 2)
    ) {
      this.#isDirty = false;
      const [learned] = await Promise.allSettled([this.#link?.then((link) => this.#learnFrom(link))]);
      if (learned.status === "rejected") {
        this.#options.log.warn("Cannot list a server's tools", { reason: messageOf(learned.reason) });
      }
      await delay(pause, this.#closed.signal);
    }
  }

  async #learnFrom(link: Link): Promise<void> {
    const { onChange, log } = this.#options;
    if (await this.#known.learnFrom(link, { signal: this.#closed.signal, log })) onChange();
  }
}

function refusal(message: string): Answer {
  return { error: { code: -32000, message } };
}
