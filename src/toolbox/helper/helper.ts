/** One process of a worker's own, which does tasks until it is ended: at once, also in the middle of its work. */
import { ignoreClosedPipe } from "../../base/errors.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { encodeFrame, FrameReader, rawHeader } from "../frame/frames.ts";
import type { WorkerSetup } from "../frame/messages.ts";
import { startHelper } from "../project/programs.ts";
import { type FromHelper, HELPER_HEAP, HELPER_MEBIBYTES, type HelperKind, type ToHelper } from "./messages.ts";

/** Why a task has no answer. */
export interface HelperProblem {
  /** `failed`: its work says so; `gone`: its process ended, as one does that needs too much memory. */
  readonly kind: "failed" | "late" | "cancelled" | "gone";
  readonly text: string;
}

export interface TaskOptions<Part> {
  /** Sent along; absent: none. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly onPart?: (part: Part) => void;
  /** Aborted: the task is given up. */
  readonly signal: AbortSignal;
  /** Milliseconds from its start in a process that is there; absent: it may take any time. */
  readonly longestMs?: number;
  /** Each part of the answer may take `longestMs`; absent: all of it together. */
  readonly isByPart?: true;
}

export class Helper {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #ended: Promise<void>;
  /** Why it ended; undefined: it runs. */
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

  /** Whether it has done its task, and can do another. */
  get isFree(): boolean {
    return this.#isFree && this.#gone === undefined;
  }

  /** Does one task after the other. One that is late or cancelled ends it. */
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
/** The runtime ends itself by a signal where it gets no memory. */
const TOO_MUCH = `it takes more than ${HELPER_MEBIBYTES} MiB of memory, or crashes the parser`;
