/** A helper process of a worker. It can be killed at any time, even in the middle of a task. */
import { ignoreClosedPipe } from "../../base/errors.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { encodeFrame, FrameReader, rawHeader } from "../frame/frames.ts";
import type { WorkerSetup } from "../frame/messages.ts";
import { startHelper } from "../project/programs.ts";
import { type FromHelper, HELPER_HEAP, HELPER_MEBIBYTES, type HelperKind, type ToHelper } from "./messages.ts";

/** Why a task failed. */
export interface HelperProblem {
  /** `failed`: the work reported a failure; `gone`: the process ended, for example for lack of memory. */
  readonly kind: "failed" | "late" | "cancelled" | "gone";
  readonly text: string;
}

export interface TaskOptions<Part> {
  /** Bytes that are sent with the task; absent: none. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly onPart?: (part: Part) => void;
  /** Aborting it cancels the task. */
  readonly signal: AbortSignal;
  /** Time limit in milliseconds, from the start of the task in a running process; absent: none. */
  readonly longestMs?: number;
  /** Whether `longestMs` applies to each part of the answer; absent: to the whole answer. */
  readonly isByPart?: true;
}

export class Helper {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #ended: Promise<void>;
  /** Why the process ended; undefined: it is running. */
  #gone: string | undefined;
  #isReady = false;
  #isFree = false;
  #take: (message: FromHelper | { readonly gone: string }) => void = () => {};

  /** @throws {Error} When it cannot be started. */
  constructor(setup: WorkerSetup) {
    this.#child = startHelper(setup.helper ?? [], Object.fromEntries([HELPER_HEAP]));
    this.#writer = this.#child.stdin.getWriter();
    this.#ended = this.#read();
    this.#send(encodeFrame({ setup } satisfies ToHelper));
  }

  /** Whether it is idle and can do another task. */
  get isFree(): boolean {
    return this.#isFree && this.#gone === undefined;
  }

  /** Does one task at a time. A late or cancelled task ends the process. */
  async ask<Result, Part = never>(
    kind: HelperKind,
    task: unknown,
    { bytes, onPart, signal, longestMs, isByPart }: TaskOptions<Part>,
  ): Promise<Outcome<Result, HelperProblem>> {
    const { promise, resolve } = Promise.withResolvers<Outcome<Result, HelperProblem>>();
    const giveUp = (kind: HelperProblem["kind"], text: string) => resolve(failure({ kind, text }));
    const begin = () =>
      longestMs && setTimeout(() => giveUp("late", `it took longer than ${longestMs / 1000} s`), longestMs);
    const cancel = () => resolve(failure(CANCELLED));
    let timer = this.#isReady ? begin() : undefined;
    this.#isFree = false;
    this.#take = (message) => {
      if ("gone" in message) return giveUp("gone", message.gone);
      if ("end" in message) {
        const { end, isSpent } = message;
        this.#isFree = !isSpent;
        return end.ok ? resolve(success(end.value as Result)) : giveUp("failed", end.problem);
      }
      if ("ready" in message || isByPart) {
        clearTimeout(timer);
        timer = begin();
      }
      if ("part" in message) onPart?.(message.part as Part);
    };
    if (this.#gone !== undefined) giveUp("gone", this.#gone);
    signal.addEventListener("abort", cancel, { once: true });
    if (signal.aborted) cancel();
    else {
      if (bytes !== undefined) {
        this.#send(rawHeader(bytes.length));
        this.#send(bytes);
      }
      this.#send(encodeFrame({ kind, task } satisfies ToHelper));
    }
    try {
      const answer = await promise;
      if (!answer.ok && answer.problem.kind !== "failed") this.#kill();
      return answer;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
      this.#take = () => {};
    }
  }

  async end(): Promise<void> {
    this.#kill();
    await Promise.all([this.#ended, this.#writer.close().catch(ignoreClosedPipe)]);
  }

  #kill(): void {
    this.#isFree = false;
    if (this.#gone === undefined) this.#child.kill("SIGKILL");
  }

  #send(frame: Uint8Array<ArrayBuffer>): void {
    void this.#writer.write(frame).catch(ignoreClosedPipe);
  }

  async #read(): Promise<void> {
    const reader = new FrameReader();
    for await (const chunk of this.#child.stdout) {
      for (const message of reader.push(chunk)) {
        this.#isReady = true;
        this.#take(message as FromHelper); // our own program's
      }
    }
    const { code, signal } = await this.#child.status;
    this.#gone = signal === null ? `its process ended with exit code ${code}` : TOO_MUCH;
    this.#take({ gone: this.#gone });
  }
}

/** The error of a call that ended before its task. */
export const CANCELLED: HelperProblem = { kind: "cancelled", text: "the call has ended" };
/** The runtime aborts by a signal when it cannot get memory. */
const TOO_MUCH = `it takes more than ${HELPER_MEBIBYTES} MiB of memory, or crashes the parser`;
