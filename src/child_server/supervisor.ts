import { encodeText } from "../base/text.ts";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { messageOf } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import type { WireMessage } from "../wire/json_rpc_message.ts";
import { moreThan } from "../wire/message_bounds.ts";
import { type ChildServer, endChild, type StartChildServer } from "./child_server.ts";
import { LastLines } from "./last_lines.ts";
import { OutputReader, UnreadInput } from "./output_reader.ts";
import {
  type Answer,
  type CallRequest,
  lostAnswer,
  type PendingCall,
  PendingCalls,
  refusedAnswer,
  type TimeLimit,
} from "./pending_calls.ts";
import { type Reached, RestartPolicy } from "./restart_policy.ts";

export interface SupervisorOptions {
  readonly start: StartChildServer;
  /** Starts in a row that may fail before the restarts pause; absent: 3. */
  readonly mostStarts?: number;
  /** The parameters of `initialize`. */
  readonly initialize: Readonly<Record<string, unknown>>;
  /** Receives the server's own requests and notifications; answers and progress go to their callers. */
  readonly onMessage: (message: JSONRPCMessage) => void;
  readonly onErrorLine: (line: string) => void;
  /** Called when a process has ended or could not be started, before the restart is decided. */
  readonly onEnd?: () => void;
  /** Called when it serves for the `times`th time; messages sent in here reach it before waiting ones. */
  readonly onReady?: (times: number) => void;
  readonly handshakeTimeout: TimeLimit;
  /** Whether a tool is read-only, so that repeating a lost call is safe (H6); absent: none is known to be. */
  readonly isReadOnlyTool?: (name: string) => boolean;
  readonly log: Logger;
}

type State = "starting" | "ready" | "waiting" | "paused" | "closed";

/** Time for a server to end, in addition to the grace of its operations. */
const END_MS = 2_000;
/** Bytes of requests and notifications that wait until the server is ready. */
const MOST_WAITING = 64 * 1024 * 1024;
const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" } as const;

/**
 * Keeps one stdio MCP server serving (H6): starts it, performs the handshake, restarts it after an end, stops it.
 *
 *   starting → ready → waiting (it ended; the delay grows with each end) → starting ...
 *            ↘           ↘ paused (it ends too often, or never serves) → starting, at the first request after the pause
 *   any → closed
 *
 * The contract:
 * - Each call gets exactly one answer: the server's, or an error when its process ended, its time is over, or the
 *   supervisor is paused or closed. A cancelled call gets no answer.
 * - Calls and notifications that come before the server is ready wait and keep their order; at most 64 MiB do. Calls
 *   that a process had when it ended are not repeated, because they may have taken effect.
 * - Every process gets the same start and the same `initialize`. State that it had from its clients is lost; `onReady`
 *   is the place to restore it.
 * - The server is not trusted: lines, unread input and answers to its own requests are limited, and a server that does
 *   not end in time is killed.
 * - `close` resolves when no process is left.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #calls = new PendingCalls((call) => this.#sendCancelled(call, "It took too long"));
  readonly #restartPolicy: RestartPolicy;
  readonly #ready = Promise.withResolvers<Readonly<Record<string, unknown>>>();
  readonly #unreadInput = new UnreadInput();
  /** A traceback of most runtimes ends in one line that says little, with the error a few lines above. */
  readonly #lastLines = new LastLines({ most: 5 });
  #state: State = "starting";
  /** Calls and notifications in the order they came, until the server is ready. */
  #waiting: (() => void)[] = [];
  #waitingBytes = 0;
  #process: ChildServer | undefined;
  #reader: OutputReader | undefined;
  #starting: Promise<void>;
  #restartTimer: ReturnType<typeof setTimeout> | undefined;
  #pausedUntil = 0;
  #timesReady = 0;
  /** Why the process was killed during the handshake; undefined: it was not. */
  #handshakeProblem: string | undefined;
  /** Why the process was killed while it served, as a sentence; undefined: it was not. */
  #killProblem: string | undefined;
  /** How the last process ended, as a sentence. */
  #lastEnd = "";

  /** Starts the server. */
  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#restartPolicy = new RestartPolicy(options.mostStarts);
    this.#ready.promise.catch(() => {});
    this.#starting = this.#start();
  }

  /**
   * The first answer to `initialize`. Rejects when the starts are paused, or the supervisor is closed, before one came.
   */
  get initialized(): Promise<Readonly<Record<string, unknown>>> {
    return this.#ready.promise;
  }

  /** Sends a request, now or when the server is ready. */
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

  /** Withdraws a call, which gets no answer. The server gets `reason`, if there is one. */
  cancel(call: PendingCall, reason: string | undefined): void {
    if (call.isAnswered) return;
    this.#calls.remove(call);
    if (call.isSent) this.#sendCancelled(call, reason);
  }

  /** Sends a notification or an answer, now or when the server is ready; drops it when the server does not read. */
  send(message: JSONRPCMessage): void {
    const bytes = encoded(message);
    const isAnswer = !("method" in message);
    this.#whenReady(() => this.#unreadInput.isFull || this.#writeBytes(bytes, { isAnswer }), () => {}, bytes.length);
  }

  /** Asks the server to end, kills it two seconds after `graceMs`, and resolves when it has ended. */
  async close(graceMs: number): Promise<void> {
    this.#state = "closed";
    clearTimeout(this.#restartTimer);
    this.#takeWaiting();
    await this.#starting;
    if (this.#process !== undefined) await endChild(this.#process, graceMs + END_MS);
    this.#calls.answerAll(() => refusedAnswer(HAS_ENDED));
    this.#ready.reject(new Error("The server was closed before it was ready"));
  }

  /** Calls `send` when the server is ready, or `refuse`; `bytes` is what `send` holds until then. */
  #whenReady(send: () => void, refuse: () => void, bytes: number): void {
    if (this.#state === "ready") return send();
    if (this.#state === "closed") return refuse();
    if (this.#state === "paused") {
      if (performance.now() < this.#pausedUntil) return refuse();
      this.#restart();
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

  #restart(): void {
    this.#state = "starting";
    this.#starting = this.#start();
  }

  /** Starts a process and begins the handshake; a failure counts as an end. Never rejects. */
  async #start(): Promise<void> {
    this.#reader?.stop();
    this.#lastLines.clear();
    this.#handshakeProblem = undefined;
    this.#killProblem = undefined;
    const { start, log, onErrorLine } = this.#options;
    const reader = new OutputReader({
      unread: this.#unreadInput,
      onMessage: (wire) => this.#receive(wire),
      onRefused: (id, error) => this.send({ jsonrpc: "2.0", id, error }),
      onLost: () => {
        this.#killProblem = `It wrote a message of ${moreThan("length")}.`;
        this.#process?.kill();
      },
      log,
    });
    this.#reader = reader;
    try {
      const process = await start({
        onOutput: (chunk) => reader.receive(chunk),
        onErrorLine: (line) => {
          this.#lastLines.add(line);
          onErrorLine(line);
        },
      });
      this.#process = process;
      void process.ended.then((how) => this.#hasEnded(process, how));
      void this.#shakeHands(process);
    } catch (thrown) {
      this.#hasEnded(undefined, messageOf(thrown));
    }
  }

  async #shakeHands(process: ChildServer): Promise<void> {
    const { initialize, handshakeTimeout, onReady } = this.#options;
    const call = this.#calls.add({ method: "initialize", params: initialize, timeout: handshakeTimeout });
    call.markSent();
    this.#write(call.message);
    const answer = await call.answered;
    if (this.#process !== process || this.#state !== "starting") return;
    if ("error" in answer) {
      this.#handshakeProblem = call.isLate
        ? `It did not answer initialize within ${handshakeTimeout.ms / 1000} s (${handshakeTimeout.setting}).`
        : `It refused initialize: ${answer.error.message}.`;
      return process.kill();
    }
    this.#write(INITIALIZED);
    this.#state = "ready";
    this.#ready.resolve(answer.result);
    onReady?.(++this.#timesReady);
    for (const send of this.#takeWaiting()) send();
  }

  /** `process` undefined: it could not be started. */
  #hasEnded(process: ChildServer | undefined, how: string): void {
    if (process !== this.#process) return;
    const reached = this.#reached();
    this.#process = undefined;
    this.#options.onEnd?.();
    const { log, isReadOnlyTool = () => false } = this.#options;
    const { lines } = this.#lastLines;
    const end = this.#handshakeProblem ?? this.#killProblem ?? how;
    const why = lines.length === 0 ? end : `${end} Its last words: ${lines.join(" | ")}`;
    this.#lastEnd = why;
    this.#calls.answerAll((call) => call.isSent ? lostAnswer(call.request, why, isReadOnlyTool) : undefined);
    if (this.#state === "closed") return;
    const decision = this.#restartPolicy.ended(performance.now(), reached);
    log.warn("A child server ended", { why, ...decision });
    if (decision.kind === "restart") {
      this.#state = "waiting";
      this.#restartTimer = setTimeout(() => this.#restart(), decision.delayMs);
      return;
    }
    this.#state = "paused";
    this.#pausedUntil = decision.untilMs;
    this.#takeWaiting();
    this.#ready.reject(new Error(why));
    this.#calls.answerAll(() => this.#refusal());
  }

  #reached(): Reached {
    if (this.#handshakeProblem !== undefined) return "refused";
    return this.#state === "ready" ? "served" : "started";
  }

  #sendCancelled({ id, request }: PendingCall, reason: string | undefined): void {
    // The protocol lets no client cancel this request.
    if (request.method === "initialize") return;
    const params = { requestId: id, ...reason !== undefined && { reason } };
    this.#write({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  }

  #refusal(): Answer {
    return refusedAnswer(
      this.#state === "closed" ? HAS_ENDED : `The server process keeps failing; restarts are paused. ${this.#lastEnd}`,
    );
  }

  #receive(wire: Extract<WireMessage, { readonly message: unknown }>): void {
    if (wire.kind === "response") return this.#calls.answer(wire.message);
    if (wire.kind === "notification" && this.#calls.progress(wire.message)) return;
    this.#options.onMessage(wire.message);
  }

  #write(message: JSONRPCMessage): void {
    this.#writeBytes(encoded(message), { isAnswer: false });
  }

  #writeBytes(bytes: Uint8Array, kind: { readonly isAnswer: boolean }): void {
    const process = this.#process;
    if (process !== undefined) this.#unreadInput.add(bytes.length, kind, process.write(bytes));
  }
}

const HAS_ENDED = "The server process has ended";
const DOES_NOT_READ = refusedAnswer("The server process is busy: it does not read its earlier input");

function encoded(message: JSONRPCMessage): Uint8Array {
  return encodeText(`${JSON.stringify(message)}\n`);
}
