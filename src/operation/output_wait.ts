/** Waits until an operation writes a line, is silent, or listens at a port (X20). It never ends an operation. */
import type { Operation } from "./operation_record.ts";
import { stripAnsi } from "./output/clean_text.ts";
import { type Batch, LineFeed, placeBehind } from "./watch/line_feed.ts";
import { firstMatch } from "./watch/first_match.ts";
import type { LinePattern } from "./watch/line_pattern.ts";

/** The conditions of a wait; the end of the operation ends every wait. */
export interface Awaited {
  /** Undefined: no line. */
  readonly until?: LinePattern | undefined;
  /** Milliseconds without output, counted once there was some; undefined: silence ends nothing. */
  readonly quietMs?: number | undefined;
  /** Whether it waits for input; absent: that ends nothing. */
  readonly input?: boolean | undefined;
  /** A TCP port at which one of its processes listens; undefined: none. */
  readonly port?: number | undefined;
}

export interface OutputWaitOptions {
  /** The place in the output from which lines are checked, in bytes. */
  readonly from: number;
  /** More than 24 days, such as Infinity: no limit. */
  readonly timeoutMs: number;
  /** Input that was just sent; absent: none. */
  readonly typed?: Typed;
  /** Aborted: the wait ends, the operation continues. */
  readonly signal: AbortSignal;
}

/** Input that was given right before a wait. */
export interface Typed {
  /** Lines that a terminal echoes, which do not count as matches; empty: none. */
  readonly echo: readonly string[];
  /** The wait for input that it ends (`RunningCommand.inputWait`); undefined: there was none. */
  readonly inputWait: string | undefined;
}

/** A line in which the pattern occurs. */
export interface Match {
  /** It and its neighbours, at most five lines, as they were seen. */
  readonly lines: readonly string[];
  /** Its place in `lines`. */
  readonly index: number;
}

/** Why a wait is over. `position`: the place in the output to continue from. */
export type OutputWaitEnd =
  & { readonly position: number }
  & ({ readonly kind: "matched"; readonly match: Match } | {
    readonly kind: "quiet" | "listening" | "input" | "ended" | "timed_out" | "aborted";
  });

/** How long after the last output an unfinished line is examined, milliseconds, because questions have no newline. */
const REST_MS = 100;
type Timer = ReturnType<typeof setTimeout>;

/** First interval of asking about listeners and readers, which the kernel does not announce; it doubles. */
const FIRST_LOOK_MS = 10;
const LONGEST_LOOK_MS = 160;
/** How long a wait for input must last to count: terminals show text late, and most typing gets an answer. */
const STILL_MS = { pipe: 20, terminal: 50, unanswered: 300 };
const MOST_LOOKS = 4;
/** A look that is later than this shows that the machine is busy, milliseconds. */
const LATE_MS = 15;

const LONGEST_TIMER_MS = 2 ** 31 - 1;
const PIECE_BYTES = 256 * 1024;
/** Lines shown before and after one that matches. */
const AROUND = 2;

/** Resolves at the first condition that holds. Of several, a line comes first, then the end. */
export async function waitForOutput(
  operation: Operation,
  awaited: Awaited,
  options: OutputWaitOptions,
): Promise<OutputWaitEnd> {
  const wait = new OutputWait(operation, awaited, options);
  try {
    return await wait.over;
  } finally {
    wait[Symbol.dispose]();
  }
}

/** A command that waits for input. */
interface InputLook {
  /** Another text for each wait, and after more output. */
  readonly state: string;
  /** How many times in a row it was the same. */
  readonly looks: number;
  /** By `performance.now()`. */
  readonly at: number;
}

/** Reads at its own pace: slow patterns delay no command, and other work by a slice. It skips dropped output. */
class OutputWait implements Disposable {
  readonly #operation: Operation;
  readonly #awaited: Awaited;
  readonly #end = Promise.withResolvers<OutputWaitEnd>();
  readonly #stops: (() => void)[] = [];
  readonly #feed: LineFeed;
  readonly #from: number;
  readonly #typed: Typed | undefined;
  /** Lines whose echo is still expected. */
  readonly #echo: string[];
  /** The last lines that did not match. */
  #before: readonly string[] = [];
  #rest: Timer | undefined;
  #quiet: Timer | undefined;
  #kernel: Timer | undefined;
  #isReading = false;
  #isOver = false;
  /** What ends the wait once the output up to a place is read. */
  #last: { readonly kind: "ended" | "timed_out" | "input"; readonly position: number } | undefined;

  constructor(operation: Operation, awaited: Awaited, { from, timeoutMs, signal, typed }: OutputWaitOptions) {
    this.#operation = operation;
    this.#typed = typed;
    this.#echo = [...typed?.echo ?? []];
    this.#from = from;
    this.#awaited = awaited;
    this.#feed = new LineFeed(from);
    const abort = () => this.#finishAs("aborted");
    signal.addEventListener("abort", abort);
    const limit = timeoutMs > LONGEST_TIMER_MS ? undefined : setTimeout(() => this.#endAt("timed_out"), timeoutMs);
    this.#stops.push(
      () => signal.removeEventListener("abort", abort),
      () => clearTimeout(limit),
      operation.watchOutput(() => this.#goOn()),
    );
    void operation.ended.then(() => this.#endAt("ended"));
    if (signal.aborted) abort();
    this.#goOn();
    if (awaited.port !== undefined || awaited.input === true) this.#lookAtKernel(FIRST_LOOK_MS, undefined);
  }

  get over(): Promise<OutputWaitEnd> {
    return this.#end.promise;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    for (const stop of this.#stops) stop();
    clearTimeout(this.#rest);
    clearTimeout(this.#quiet);
    clearTimeout(this.#kernel);
  }

  /** Output came, or the wait began: rest and silence count from now. */
  #goOn(): void {
    if (this.#isOver) return;
    const { quietMs } = this.#awaited;
    clearTimeout(this.#quiet);
    // Silence counts only after the first output or answer, because a program may be slow.
    if (quietMs !== undefined && this.#operation.output.totalBytes > (this.#typed === undefined ? 0 : this.#from)) {
      this.#quiet = setTimeout(() => this.#finishAs("quiet"), quietMs);
    }
    // Unreadable output ends the wait like its time limit; the operation continues.
    if (!this.#isReading) this.#read().catch(() => this.#finishAs("timed_out"));
  }

  /** `before`: its wait for input at the last look; undefined: it did not wait. */
  #lookAtKernel(nextMs: number, before: InputLook | undefined): void {
    if (this.#isOver) return;
    const { command, output } = this.#operation;
    const { port, input, until } = this.#awaited;
    if (port !== undefined && command?.listensAt(port) === true) return this.#finishAs("listening");
    const wait = input === true && command?.input !== undefined ? command.inputWait() : undefined;
    const at = performance.now();
    // What was typed may be on its way to it, and what it wrote before on its way from it: where the machine is busy
    // longer, which a late look shows.
    const state = wait === undefined || wait === this.#typed?.inputWait ? undefined : `${wait} ${output.totalBytes}`;
    const looks = state === undefined ? 0 : state === before?.state ? before.looks + 1 : 1;
    const isUnanswered = this.#typed !== undefined && output.totalBytes === this.#from;
    const stillMs =
      STILL_MS[command?.input?.terminal === undefined ? "pipe" : isUnanswered ? "unanswered" : "terminal"];
    // A line is expected, so nothing at all is no answer yet.
    const isEarly = isUnanswered && until !== undefined;
    const isLate = before !== undefined && at - before.at > stillMs + LATE_MS;
    if (looks > (isLate || isEarly ? MOST_LOOKS : 1)) return this.#endAt("input");
    this.#kernel = setTimeout(
      () =>
        this.#lookAtKernel(
          Math.min(2 * nextMs, LONGEST_LOOK_MS),
          state === undefined ? undefined : { state, looks, at },
        ),
      state === undefined ? nextMs : stillMs,
    );
  }

  #endAt(kind: "ended" | "timed_out" | "input"): void {
    this.#last = { kind, position: this.#operation.output.totalBytes };
    this.#goOn();
  }

  /** Reads and checks the available output; then the unfinished line so far, at once if the wait ends. */
  async #read(): Promise<void> {
    this.#isReading = true;
    clearTimeout(this.#rest);
    const { output } = this.#operation;
    while (!this.#isOver && this.#feed.end < (this.#last?.position ?? output.totalBytes)) {
      const { offset, bytes } = await output.read(this.#feed.end, PIECE_BYTES);
      if (bytes.length === 0) break;
      if (offset > this.#feed.end) this.#feed.skip(offset - this.#feed.end);
      const batch = this.#feed.push(bytes);
      if (batch !== undefined && !await this.#look(batch)) this.#keep(batch);
    }
    this.#isReading = false;
    if (this.#isOver) return;
    if (this.#last === undefined) {
      this.#rest = setTimeout(() => void this.#lookAtRest(), REST_MS);
    } else if (!await this.#lookAtRest()) {
      this.#finishAs(this.#last.kind);
    }
  }

  async #lookAtRest(): Promise<boolean> {
    const batch = this.#feed.unfinished();
    return batch !== undefined && await this.#look(batch);
  }

  #keep(batch: Batch): void {
    if (this.#awaited.until !== undefined) {
      this.#before = [...this.#before, ...lastLines(batch)].slice(-AROUND);
    }
  }

  /** Whether a line matches, which ends the wait. */
  async #look(batch: Batch): Promise<boolean> {
    const { until } = this.#awaited;
    // Most of a flood is skipped before it is split into lines.
    if (until === undefined || batch.text.length <= until.longest && !until.occursIn(batch.text)) return false;
    const lines = batch.text.replace(/\n$/, "").split("\n");
    const index = await firstMatch(until, this.#withoutEcho(lines), () => this.#isOver);
    if (index === -1 || this.#isOver) return false;
    const before = [...this.#before, ...lines.slice(0, index)].slice(-AROUND);
    const shown = [...before, ...lines.slice(index, index + 1 + AROUND)];
    const match = { lines: shown.map(stripAnsi), index: before.length };
    this.#finish({ kind: "matched", match, position: placeBehind(batch, index) });
    return true;
  }

  #withoutEcho(lines: readonly string[]): readonly string[] {
    const echo = this.#echo;
    if (echo.length === 0) return lines;
    return lines.map((line) => {
      const [next] = echo;
      if (next === undefined || !line.includes(next)) return line;
      echo.shift();
      return line.replace(next, () => "");
    });
  }

  #finishAs(kind: Exclude<OutputWaitEnd["kind"], "matched">): void {
    this.#finish({ kind, position: this.#feed.end });
  }

  #finish(end: OutputWaitEnd): void {
    this.#isOver = true;
    this.#end.resolve(end);
  }
}

function lastLines({ text }: Batch): readonly string[] {
  const end = text.endsWith("\n") ? text.length - 1 : text.length;
  let start = end;
  for (let count = 0; count < AROUND && start > 0; count++) start = text.lastIndexOf("\n", start - 1);
  return text.slice(start + 1, end).split("\n");
}
