/**
 * One stdio MCP server over time (H6): started, shaken hands with, and when it ends by itself, started again with the
 * same start and the same handshake before it serves. A state machine:
 *
 *   starting → ready → waiting (it ended; a pause after each further end) → starting ...
 *            ↘           ↘ resting (a storm, or it never serves: everything is refused) → starting, when somebody asks
 *   any → closed
 *
 * Requests that come while it is not ready wait; those it had taken when it ended get an error that says so.
 */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { messageOf } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { LineSplitter, type SplitLine } from "../wire/line_splitter.ts";
import { readWireMessage, type WireMessage } from "../wire/json_rpc_message.ts";
import { StderrTail } from "./stderr_tail.ts";
import {
  type Answer,
  type CallRequest,
  lostAnswer,
  PendingCall,
  PendingCalls,
  refusedAnswer,
} from "./pending_calls.ts";
import { type Reached, RestartPolicy } from "./restart_policy.ts";
import type { ChildServer, StartChildServer } from "./child_server.ts";
import { UnreadInput } from "./unread_input.ts";

export interface SupervisorOptions {
  readonly start: StartChildServer;
  /** The parameters of `initialize`. */
  readonly initialize: Readonly<Record<string, unknown>>;
  /** What the server asks or tells by itself; answers to calls go to their callers. */
  readonly onMessage: (message: JSONRPCMessage) => void;
  readonly onErrorLine: (line: string) => void;
  /** The process has ended, or could not be started; whether another one takes its place is not settled yet. */
  readonly onEnd?: () => void;
  /** It serves, for the `times`th time; what is called in here reaches it before what waits. */
  readonly onReady?: (times: number) => void;
  /** Milliseconds. */
  readonly handshakeTimeoutMs: number;
  readonly log: Logger;
}

type State = "starting" | "ready" | "waiting" | "resting" | "closed";

const LONGEST_LINE = 16 * 1024 * 1024;
/** What a server has beyond the grace of its operations when it is asked to end. */
const END_MS = 2_000;
/** Requests that wait until it is ready, bytes. */
const MOST_WAITING = 64 * 1024 * 1024;
const ENCODER = new TextEncoder();
const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" } as const;

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #calls = new PendingCalls((call) => this.#tellCancelled(call, "It took too long"));
  readonly #restartPolicy = new RestartPolicy();
  readonly #ready = Promise.withResolvers<Readonly<Record<string, unknown>>>();
  #state: State = "starting";
  /** Calls and notifications in the order they came, until it is ready. */
  #waiting: (() => void)[] = [];
  #process: ChildServer | undefined;
  #starting: Promise<void>;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #restUntil = 0;
  #waitingBytes = 0;
  readonly #unreadInput = new UnreadInput();
  /** Of the process that is read now. */
  #splitter: LineSplitter | undefined;
  #timesReady = 0;
  readonly #stderrTail = new StderrTail();
  /** Why we ended the process that does not shake hands; undefined: we did not. */
  #noHandshake: string | undefined;
  /** How the last one ended, in words. */
  #lastEnd = "";

  /** Starts it. */
  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#ready.promise.catch(() => {});
    this.#starting = this.#start();
  }

  /** What the server answered to `initialize` the first time. Rejects when it never came so far. */
  get initialized(): Promise<Readonly<Record<string, unknown>>> {
    return this.#ready.promise;
  }

  /** Whether it works on anything. */
  get isBusy(): boolean {
    return this.#calls.size > 0 || this.#waiting.length > 0;
  }

  /** Sends a request, at once or when the server is ready; the call's answer always comes. */
  call(request: CallRequest): PendingCall {
    const call = this.#calls.add(request);
    const bytes = encoded(call.message);
    const refuse = (why: Answer) => {
      this.#calls.remove(call);
      call.answer(why);
    };
    this.#whenReady(
      () => {
        if (call.isAnswered) return;
        if (this.#unreadInput.isFull) return refuse(DOES_NOT_READ);
        call.markSent();
        this.#writeBytes(bytes, { isAnswer: false });
      },
      () => refuse(this.#refusal()),
      bytes.length,
    );
    return call;
  }

  /** Takes a call back: its answer is not wanted any more. */
  cancel(call: PendingCall, reason: string | undefined): void {
    if (call.isAnswered) return;
    this.#calls.remove(call);
    if (call.isSent) this.#tellCancelled(call, reason);
  }

  /** Sends a notification or an answer, at once or when the server is ready; not to one that does not read. */
  send(message: JSONRPCMessage): void {
    const bytes = encoded(message);
    const isAnswer = !("method" in message);
    this.#whenReady(() => this.#unreadInput.isFull || this.#writeBytes(bytes, { isAnswer }), () => {}, bytes.length);
  }

  /** Asks it to end and resolves when it has: after `graceMs` and a little more it is killed. */
  async close(graceMs: number): Promise<void> {
    this.#state = "closed";
    clearTimeout(this.#pause);
    this.#takeWaiting();
    await this.#starting;
    const process = this.#process;
    if (process !== undefined) {
      const timer = setTimeout(() => process.kill(), graceMs + END_MS);
      await process.askToEnd();
      await process.ended;
      clearTimeout(timer);
    }
    this.#calls.answerAll(() => refusedAnswer("The server process of this session has ended"));
    this.#ready.reject(new Error("It was closed before it was ready"));
  }

  /** `bytes`: what `send` holds until then. */
  #whenReady(send: () => void, refuse: () => void, bytes: number): void {
    if (this.#state === "ready") return send();
    if (this.#state === "closed") return refuse();
    if (this.#state === "resting") {
      if (performance.now() < this.#restUntil) return refuse();
      this.#begin();
    }
    if (this.#waitingBytes > MOST_WAITING) return refuse();
    this.#waitingBytes += bytes;
    this.#waiting.push(send);
  }

  #takeWaiting(): readonly (() => void)[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    return waiting;
  }

  #begin(): void {
    this.#state = "starting";
    this.#starting = this.#start();
  }

  /** Starts it and shakes hands; a failure counts as an end. Never rejects. */
  async #start(): Promise<void> {
    const splitter = new LineSplitter(LONGEST_LINE);
    this.#splitter = splitter;
    this.#stderrTail.clear();
    this.#noHandshake = undefined;
    try {
      const process = await this.#options.start({
        onOutput: (chunk) => this.#receive(splitter, chunk),
        onErrorLine: (line) => {
          this.#stderrTail.add(line);
          this.#options.onErrorLine(line);
        },
      });
      this.#process = process;
      void process.ended.then((how) => this.#hasEnded(process, how));
    } catch (thrown) {
      return this.#hasEnded(undefined, messageOf(thrown));
    }
    void this.#shakeHands(this.#process);
  }

  async #shakeHands(process: ChildServer): Promise<void> {
    const call = this.#calls.add({
      method: "initialize",
      params: this.#options.initialize,
      timeoutMs: this.#options.handshakeTimeoutMs,
    });
    call.markSent();
    this.#write(call.message);
    const answer = await call.answered;
    if (this.#process !== process || this.#state !== "starting") return;
    if ("error" in answer) {
      this.#noHandshake = call.isLate
        ? `It did not answer initialize within ${this.#options.handshakeTimeoutMs / 1000} s (--handshake-timeout).`
        : `It refused initialize: ${answer.error.message}.`;
      return process.kill();
    }
    this.#write(INITIALIZED);
    this.#state = "ready";
    this.#ready.resolve(answer.result);
    this.#options.onReady?.(++this.#timesReady);
    for (const send of this.#takeWaiting()) send();
  }

  /** `process` undefined: it could not even be started. */
  #hasEnded(process: ChildServer | undefined, how: string): void {
    if (process !== this.#process) return;
    const reached: Reached = this.#noHandshake !== undefined
      ? "refused"
      : this.#state === "ready"
      ? "served"
      : "started";
    this.#process = undefined;
    this.#options.onEnd?.();
    const { log } = this.#options;
    const why = this.#stderrTail.after(this.#noHandshake ?? how);
    this.#lastEnd = why;
    this.#calls.answerAll((call) => call.isSent ? lostAnswer(call, why) : undefined);
    if (this.#state === "closed") return;
    const decision = this.#restartPolicy.ended(performance.now(), reached);
    log.warn("A server process ended", { why, ...decision });
    if (decision.kind === "restart") {
      this.#state = "waiting";
      this.#pause = setTimeout(() => this.#begin(), decision.delayMs);
      return;
    }
    this.#state = "resting";
    this.#restUntil = decision.untilMs;
    this.#takeWaiting();
    this.#ready.reject(new Error(why));
    this.#calls.answerAll(() => this.#refusal());
  }

  #tellCancelled({ id, request }: PendingCall, reason: string | undefined): void {
    // The one request that no client may take back.
    if (request.method === "initialize") return;
    const params = { requestId: id, ...reason !== undefined && { reason } };
    this.#write({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  }

  #refusal(): Answer {
    return refusedAnswer(
      this.#state === "closed"
        ? "The server process of this session has ended"
        : `The server process does not serve, and is not started for a while. ${this.#lastEnd}`,
    );
  }

  /** A promise: the server does not read its answers, and nothing more is read from it until the promise settles. */
  #receive(splitter: LineSplitter, chunk: Uint8Array): Promise<void> | undefined {
    const lines = splitter.push(chunk);
    this.#takeLines(lines);
    return this.#unreadInput.pressure === undefined ? undefined : this.#takeSlowly(splitter, lines);
  }

  #takeLines(lines: Iterator<SplitLine>): void {
    while (this.#unreadInput.pressure === undefined) {
      const { value: line, done } = lines.next();
      if (done === true) return;
      if (line.kind === "line") this.#take(readWireMessage(line.bytes));
      else this.#options.log.warn("A server wrote a line that is too long", { limit: LONGEST_LINE });
    }
  }

  /** The lines of a process whose place another one has taken are dropped. */
  async #takeSlowly(splitter: LineSplitter, lines: Iterator<SplitLine>): Promise<void> {
    this.#options.log.debug("A server does not read its answers, and is read on when it does");
    while (this.#unreadInput.pressure !== undefined) {
      await this.#unreadInput.pressure;
      if (splitter !== this.#splitter) return;
      this.#takeLines(lines);
    }
  }

  #take(wire: WireMessage): void {
    switch (wire.kind) {
      case "response":
        return this.#calls.answer(wire.message);
      case "notification":
        if (this.#calls.progress(wire.message)) return;
        return this.#options.onMessage(wire.message);
      case "request":
        return this.#options.onMessage(wire.message);
      case "batch":
        for (const item of wire.items) this.#take(item);
        return;
      case "invalid":
        return this.#options.log.debug("A server wrote what is no message", { problem: wire.problem });
      case "blank":
        return;
    }
  }

  #write(message: JSONRPCMessage): void {
    this.#writeBytes(encoded(message), { isAnswer: false });
  }

  #writeBytes(bytes: Uint8Array, kind: { readonly isAnswer: boolean }): void {
    const process = this.#process;
    if (process !== undefined) this.#unreadInput.add(bytes.length, kind, process.write(bytes));
  }
}

const DOES_NOT_READ = refusedAnswer("The server process is busy: it does not read what it was sent before");

function encoded(message: JSONRPCMessage): Uint8Array {
  return ENCODER.encode(`${JSON.stringify(message)}\n`);
}
