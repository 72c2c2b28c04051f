/** The server's side of one worker: started by a call, ended when idle, and started again after a crash (K2). */
import type { ProtectedChange } from "../../base/command/protected_change.ts";
import type { CallFacts, EndWork } from "../../child_server/watched_runner.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { type ChildServer, endChild, type StartChildServer } from "../../child_server/child_server.ts";
import { LastLines } from "../../child_server/last_lines.ts";
import { errorResult } from "../../service/result/result_text.ts";
import { encodeFrame, FrameReader, LONGEST_ANSWER } from "../frame/frames.ts";
import {
  type FromWorker,
  readAnswer,
  type ToolArguments,
  type ToolResult,
  type ToWorker,
  type WorkerSetup,
  type WorkProgress,
} from "../frame/messages.ts";

export interface WorkerLinkOptions {
  /** Name in messages. */
  readonly name: string;
  /** Opens its sandbox at the first call; disposal of the link closes the sandbox. */
  readonly open: () => Promise<OpenWorkerSandbox>;
  /** A worker without a call for this long is ended, milliseconds. */
  readonly idleMs: number;
  /** Time that a worker has to end on request or to stop a cancelled call, milliseconds. */
  readonly graceMs: number;
  readonly log: Logger;
}

/** A sandbox in which a worker can be started repeatedly. */
export interface OpenWorkerSandbox extends AsyncDisposable {
  readonly start: StartChildServer;
  readonly setup: WorkerSetup;
  /** Begins a call; what it gives ends the call and tells what it changed of protected paths. Absent: nothing is looked at. */
  readonly begin?: (call: CallFacts) => Promise<EndWork>;
}

export interface WatchedCall {
  readonly result: ToolResult;
  readonly changes: readonly ProtectedChange[];
}

export interface WorkerCallHooks {
  /** Aborting it cancels the call; a worker that does not obey is ended. */
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: WorkProgress) => void;
}

interface PendingCall extends Pick<WorkerCallHooks, "onProgress"> {
  readonly tool: string;
  /** Undefined: the worker ended before it began the call. */
  readonly settle: (result: ToolResult | undefined) => void;
}

/** One started worker. */
interface RunningWorker {
  readonly process: ChildServer;
  readonly calls: Map<number, PendingCall>;
  /** How it ended; undefined: it is running. */
  ended: string | undefined;
  /** The cancelled call that it did not stop, so that it is ended itself; undefined: there is none. */
  disobeyed: string | undefined;
}

export class WorkerLink implements AsyncDisposable {
  readonly #options: WorkerLinkOptions;
  #sandbox: Promise<OpenWorkerSandbox> | undefined;
  #worker: Promise<RunningWorker> | undefined;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #using = 0;
  #lastId = 0;
  #isClosed = false;
  /** Settles when all retired workers have ended. */
  #retired: Promise<unknown> = Promise.resolve();

  constructor(options: WorkerLinkOptions) {
    this.#options = options;
  }

  /** Starts it before its first call; also resolves on failure, which the first call then reports. */
  async warmUp(): Promise<void> {
    await Promise.allSettled([this.#running()]);
    this.#beginIdle();
  }

  /** Does one call. Never rejects: every failure is an error result. */
  async call(tool: string, args: ToolArguments, hooks: WorkerCallHooks): Promise<ToolResult> {
    clearTimeout(this.#idle);
    this.#using++;
    try {
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        if (hooks.signal.aborted) return errorResult(CANCELLED);
        const result = await this.#ask(await this.#running(), { tool, args }, hooks);
        if (result !== undefined) return result;
      }
      return goneResult(tool, `${MOST_TRIES} of them ended before they began it.`);
    } catch (thrown) {
      return errorResult(`Cannot run "${tool}": ${messageOf(thrown)}`);
    } finally {
      this.#using--;
      this.#beginIdle();
    }
  }

  /** Runs a call, and gives what it changed of protected paths. Never rejects, if `call` does not. */
  async watched(call: () => Promise<ToolResult>, facts: CallFacts): Promise<WatchedCall> {
    const warn = (thrown: unknown) =>
      this.#options.log.warn("Cannot look at protected paths around a call", { error: messageOf(thrown) });
    const end = await this.#begin(facts).catch(warn);
    const result = await call();
    return { result, changes: await end?.().catch(warn) ?? [] };
  }

  async #begin(facts: CallFacts): Promise<EndWork | undefined> {
    const [started] = await Promise.allSettled([this.#running()]); // the call tells why it is not
    return started.status === "rejected" ? undefined : await (await this.#sandbox)?.begin?.(facts);
  }

  /** Ends the worker and its sandbox; calls in flight are answered with an error. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    await Promise.all([this.#end(), this.#retired]);
    const [opened] = await Promise.allSettled([this.#sandbox]);
    if (opened.status === "fulfilled") await opened.value?.[Symbol.asyncDispose]();
  }

  async #ask(
    running: RunningWorker,
    { tool, args }: { readonly tool: string; readonly args: ToolArguments },
    { signal, onProgress }: WorkerCallHooks,
  ): Promise<ToolResult | undefined> {
    const { process, calls, ended } = running;
    if (ended !== undefined) return goneResult(tool, ended);
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<ToolResult | undefined>();
    calls.set(id, { tool, ...onProgress !== undefined && { onProgress }, settle: resolve });
    let late: ReturnType<typeof setTimeout> | undefined;
    const cancel = () => {
      void process.write(encodeFrame({ kind: "cancel", id } satisfies ToWorker));
      late = setTimeout(() => {
        running.disobeyed ??= tool;
        process.kill();
      }, this.#options.graceMs);
    };
    signal.addEventListener("abort", cancel, { once: true });
    try {
      void process.write(encodeFrame({ kind: "call", id, tool, args } satisfies ToWorker));
      if (signal.aborted) cancel();
      return await promise;
    } finally {
      calls.delete(id);
      signal.removeEventListener("abort", cancel);
      clearTimeout(late);
    }
  }

  #running(): Promise<RunningWorker> {
    if (this.#isClosed) return Promise.reject(new Error("This program ends"));
    if (this.#worker !== undefined) return this.#worker;
    const starting = this.#start();
    this.#worker = starting;
    void this.#forgetAtEnd(starting);
    return starting;
  }

  async #start(): Promise<RunningWorker> {
    this.#sandbox ??= this.#options.open();
    const opening = this.#sandbox;
    const { start, setup } = await opening.catch((thrown) => {
      this.#sandbox = undefined;
      throw thrown;
    });
    const reader = new FrameReader(LONGEST_ANSWER);
    const calls = new Map<number, PendingCall>();
    const lastLines = new LastLines({ most: 3, noise: NOISE });
    let hasRetired = false; // it may say so again, of the one that took its place
    const process = await start({
      onOutput: (chunk) => {
        try {
          for (const frame of reader.push(chunk)) {
            const message = readAnswer(frame);
            take(calls, message);
            if (message.kind !== "result" || message.last !== true || hasRetired) continue;
            hasRetired = true;
            this.#retire(calls);
          }
        } catch (thrown) {
          this.#options.log.error("A worker wrote an invalid message", { problem: messageOf(thrown) });
          process.kill();
        }
        return undefined;
      },
      onErrorLine: (line) => {
        this.#options.log.debug("A worker said", { worker: this.#options.name, line });
        lastLines.add(line);
      },
    });
    const running: RunningWorker = { process, calls, ended: undefined, disobeyed: undefined };
    await process.write(encodeFrame({ kind: "setup", setup } satisfies ToWorker));
    void process.ended.then((how) => this.#ended(running, [how, ...lastLines.lines].join("\n")));
    return running;
  }

  /** Retires a worker that took its last call; another one does the calls that it did not begin. */
  #retire(calls: Map<number, PendingCall>): void {
    this.#retired = Promise.all([this.#retired, this.#end()]);
    for (const { settle } of calls.values()) settle(undefined);
    calls.clear();
  }

  #ended(running: RunningWorker, last: string): void {
    const { calls, disobeyed } = running;
    const seconds = this.#options.graceMs / 1000;
    const how = disobeyed === undefined
      ? last
      : `a cancelled call of "${disobeyed}" did not end within ${seconds} s, so it was ended with all calls.`;
    running.ended = how;
    for (const { tool, settle } of calls.values()) settle(goneResult(tool, how));
    if (calls.size > 0) this.#options.log.warn("A worker ended during a call", { worker: this.#options.name, how });
    calls.clear();
  }

  /** Forgets a worker that has ended, so that the next call starts another. */
  async #forgetAtEnd(worker: Promise<RunningWorker>): Promise<void> {
    const [started] = await Promise.allSettled([worker]);
    if (started.status === "fulfilled") await started.value.process.ended;
    if (this.#worker === worker) this.#worker = undefined;
  }

  #beginIdle(): void {
    clearTimeout(this.#idle);
    if (this.#using > 0 || this.#worker === undefined || this.#isClosed) return;
    this.#idle = setTimeout(() => void this.#end(), this.#options.idleMs);
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    const [started] = await Promise.allSettled([worker]);
    if (started.status === "rejected" || started.value === undefined) return;
    await endChild(started.value.process, this.#options.graceMs);
  }
}

/** How many workers a call is given to if each ends before it begins the call. */
const MOST_TRIES = 3;
const CANCELLED = "The call was cancelled";
/** Useless lines of a crash report: addresses and traces of the garbage collector. */
const NOISE = /^[\s#]*$|^=+ C stack trace|\(\+0x[0-9a-f]+\)|^<---|^\[\d+:0x/;

function goneResult(tool: string, how: string): ToolResult {
  return errorResult(`"${tool}" has no result, because its worker is gone: ${how}\nThe next call starts a new one.`);
}

function take(calls: Map<number, PendingCall>, message: FromWorker): void {
  const call = calls.get(message.id);
  if (message.kind === "progress") return call?.onProgress?.(message.progress);
  calls.delete(message.id);
  call?.settle(message.result);
}
