/** Waits for what an operation writes: a line, or that it writes nothing (X20). Ends nothing itself. */
import type { Operation } from "../operation_record.ts";
import { type Batch, LineFeed, placeBehind } from "./line_feed.ts";
import type { LinePattern } from "./line_pattern.ts";

/** What is waited for; the end of the operation ends every wait. */
export interface Awaited {
  /** Undefined: no line. */
  readonly until?: LinePattern | undefined;
  /** Milliseconds without output; undefined: silence ends nothing. */
  readonly quietMs?: number | undefined;
}

export interface OutputWaitOptions {
  /** The place in the output from which lines are looked at, in bytes. */
  readonly from: number;
  /** More than 24 days, such as Infinity: no limit. */
  readonly timeoutMs: number;
  /** Aborted: the wait ends, the operation goes on. */
  readonly signal: AbortSignal;
}

/** A line in which the pattern occurs. */
export interface Match {
  /** It and its neighbours, at most five lines, as they were seen. */
  readonly lines: readonly string[];
  /** Its place in `lines`. */
  readonly index: number;
}

/** Why a wait is over. `position`: the place in the output to go on from. */
export type OutputWaitEnd =
  & { readonly position: number }
  & ({ readonly kind: "matched"; readonly match: Match } | {
    readonly kind: "quiet" | "ended" | "timed_out" | "aborted";
  });

/** A line that has not ended is looked at after so long without output: questions have no newline. */
const REST_MS = 100;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const PIECE_BYTES = 256 * 1024;
/** Lines shown before and after one that matches. */
const AROUND = 2;

/** Resolves at the first of what it waits for; of several that hold, the line comes first, then the end. */
export async function waitForOutput(
  operation: Operation,
  awaited: Awaited,
  options: OutputWaitOptions,
): Promise<OutputWaitEnd> {
  const wait = new OutputWait(awaited, options);
  using _timers = wait;
  const { output } = operation;
  // What is there is read until nothing has come meanwhile; what comes later is looked at as it comes.
  while (!wait.isOver && wait.position < output.totalBytes) {
    const { offset, bytes } = await output.read(wait.position, PIECE_BYTES);
    if (bytes.length === 0) break;
    wait.take(bytes, offset);
  }
  const unsubscribe = operation.watchOutput((chunk) => wait.take(chunk));
  try {
    return await wait.over(operation.ended);
  } finally {
    unsubscribe();
  }
}

class OutputWait implements Disposable {
  readonly #awaited: Awaited;
  readonly #options: OutputWaitOptions;
  readonly #end = Promise.withResolvers<OutputWaitEnd>();
  #limit: ReturnType<typeof setTimeout> | undefined;
  #feed: LineFeed;
  #before: readonly string[] = [];
  #rest: ReturnType<typeof setTimeout> | undefined;
  #quiet: ReturnType<typeof setTimeout> | undefined;
  isOver = false;

  constructor(awaited: Awaited, options: OutputWaitOptions) {
    this.#awaited = awaited;
    this.#options = options;
    this.#feed = new LineFeed(options.from);
    this.#stay();
  }

  /** Behind all bytes that were taken. */
  get position(): number {
    return this.#feed.end;
  }

  /** Takes bytes; `at`: where they begin, which is later where bytes between are lost. */
  take(bytes: Uint8Array, at: number = this.position): void {
    if (this.isOver) return;
    if (at > this.position) this.#feed = new LineFeed(at);
    const batch = this.#feed.push(bytes);
    if (batch !== undefined) this.#lookAtLines(batch);
    this.#stay();
  }

  async over(ended: Promise<unknown>): Promise<OutputWaitEnd> {
    const { signal, timeoutMs } = this.#options;
    const abort = () => this.#finishAs("aborted");
    signal.addEventListener("abort", abort);
    if (timeoutMs <= LONGEST_TIMER_MS) {
      this.#limit = setTimeout(() => this.#finishAs("timed_out"), timeoutMs);
    }
    if (signal.aborted) abort();
    void ended.then(() => {
      this.#lookAtRest();
      this.#finishAs("ended");
    });
    try {
      return await this.#end.promise;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  [Symbol.dispose](): void {
    this.isOver = true;
    for (const timer of [this.#limit, this.#rest, this.#quiet]) clearTimeout(timer);
  }

  /** Output came, or the wait began: rest and silence count from now. */
  #stay(): void {
    const { until, quietMs } = this.#awaited;
    clearTimeout(this.#rest);
    clearTimeout(this.#quiet);
    if (this.isOver) return;
    if (until !== undefined) this.#rest = setTimeout(() => this.#lookAtRest(), REST_MS);
    if (quietMs !== undefined) this.#quiet = setTimeout(() => this.#finishAs("quiet"), quietMs);
  }

  #lookAtRest(): void {
    const batch = this.#feed.unfinished();
    if (batch !== undefined) this.#look(batch);
  }

  /** Ends the wait where a line matches; what did not match is kept as the lines before the next ones. */
  #lookAtLines(batch: Batch): void {
    this.#look(batch);
    if (this.#awaited.until !== undefined) {
      this.#before = [...this.#before, ...linesOf(batch).slice(-AROUND)].slice(-AROUND);
    }
  }

  #look(batch: Batch): void {
    const { until } = this.#awaited;
    if (until === undefined || this.isOver || !until.occursIn(batch.text)) return;
    const lines = linesOf(batch);
    const index = lines.findIndex((line) => until.occursIn(line));
    if (index === -1) return;
    const before = [...this.#before, ...lines.slice(0, index)].slice(-AROUND);
    const shown = [...before, ...lines.slice(index, index + 1 + AROUND)];
    this.#finish({
      kind: "matched",
      match: { lines: shown, index: before.length },
      position: placeBehind(batch, index),
    });
  }

  #finishAs(kind: Exclude<OutputWaitEnd["kind"], "matched">): void {
    this.#finish({ kind, position: this.position });
  }

  #finish(end: OutputWaitEnd): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#end.resolve(end);
  }
}

function linesOf({ text }: Batch): readonly string[] {
  return text.replace(/\n$/, "").split("\n");
}
