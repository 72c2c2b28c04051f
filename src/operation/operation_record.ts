import type { Person } from "../base/command/person.ts";
import type { RunningCommand } from "../base/command/running_command.ts";
import type { ProtectedChange } from "../base/command/protected_change.ts";
import { Emitter, type Unsubscribe } from "../base/emitter.ts";
import { HurriedEnd } from "../base/command/kill_delay.ts";
import {
  INITIAL_STATUS,
  nextStatus,
  type OperationEnd,
  type OperationEvent,
  type OperationState,
  type OperationStatus,
  type StopCause,
  type Work,
  type WorkControl,
} from "./operation.ts";
import { encodeText } from "../base/text.ts";
import type { TraceContext } from "../wire/trace_context.ts";
import { type ScreenSize, TerminalScreen } from "./screen/terminal_screen.ts";
import type { Turns } from "./concurrency.ts";
import type { TaskCall } from "./protocol_tasks.ts";
import type { LinePattern } from "./watch/line_pattern.ts";
import { OutputWatch, type WatchNews } from "./watch/output_watch.ts";
import { sizeOf } from "../wire/json_value.ts";
import { OperationOutput, type OutputReader, type OutputWindow } from "./output/output.ts";
import type { SpillFile } from "./output/spill_files.ts";

/** What the client has: nothing, a report (X18), or the result (X5c), also when a request waits for it. */
export type Delivery = "undelivered" | "announced" | "delivered";

/** The public view of an operation. It shows the current state, even after removal from the registry. */
export type Operation = Readonly<
  Omit<OperationRecord, "heldBytes" | "forgetNews" | "reduceOutput" | "discard" | "apply" | "runWork">
>;

/** Of all connections of an operation. */
export interface NetworkTotals {
  readonly bytesOut: number;
  readonly bytesIn: number;
  readonly refusals: number;
}

/** What a work is started with. */
export interface StartOptions {
  /** Counted from the start of the work, not from queueing (X9). Absent or undefined: no limit. */
  readonly timeoutSeconds?: number | undefined;
  /** Works that share a key run one after another, in order of arrival (X13). Absent or empty: no such limit. */
  readonly exclusive?: readonly string[];
  /** Lines that are reported as they are written (X21). Absent or undefined: none. */
  readonly watch?: LinePattern | undefined;
  /** The server behind this one whose tool is called. Absent or undefined: none is. */
  readonly server?: string | undefined;
  /** Its own place in a trace. Absent or undefined: it is not reported to a collector. */
  readonly trace?: TraceContext | undefined;
  /** Where it queues; work that waits for others needs its own place. Absent or undefined: with all others. */
  readonly turns?: Turns | undefined;
  /** See `WorkControl`. */
  readonly person?: Person | undefined;
  /** See `WorkControl`. */
  readonly preview?: boolean | undefined;
}

type Facts = "id" | "ordinal" | "tool" | "title" | "createdAt";

export interface OperationRecordParts extends Pick<OperationRecord, Facts>, StartOptions {
  readonly work: Work;
  /** Called when a watched line was written. */
  readonly onNews: () => void;
  readonly outputWindow: OutputWindow;
  /** Absent: output beyond the window is lost. */
  readonly spill?: SpillFile | undefined;
  readonly onListenerError: (thrown: unknown) => void;
}

/** The registry's view of an operation; its state changes only through `apply`. */
export class OperationRecord {
  /** `op_` and a ULID, or 8 digits (X11). */
  readonly id: string;
  /** Its number in its registry, in order of arrival. */
  readonly ordinal: number;
  /** The MCP tool that was called. */
  readonly tool: string;
  /** One line for people and models: what runs. */
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Undefined: no limit. */
  readonly timeoutSeconds: number | undefined;
  /** Works that share a key run one after the other; empty: no limit. */
  readonly exclusive: readonly string[];
  /** The server behind this one whose tool it calls; undefined: none. */
  readonly server: string | undefined;
  /** Its own place in a trace; undefined: it is not reported to a collector. */
  readonly trace: TraceContext | undefined;
  /** Where it queues; undefined: with all others. */
  readonly turns: Turns | undefined;
  /** Resolves when it has ended; never rejects. */
  readonly ended: Promise<OperationEnd>;
  /** Resolves when its first command runs, or it has ended; never rejects. */
  readonly began: Promise<void>;
  /** Undefined: still queued, or ended in the queue. */
  startedAt: number | undefined;
  /** Undefined: not ended. */
  endedAt: number | undefined;
  /** Whether the client got it as a protocol task and asks for its result as such (X5a). */
  isTask = false;
  /** The call that is this task; undefined: the task is over with the operation, or there is none. */
  taskCall: TaskCall | undefined;
  /** Lines of its output that are our own, such as the headings of a sequence. */
  readonly said: Set<string> = new Set();
  delivery: Delivery = "undelivered";
  /** How much of its output the client has seen, in bytes. */
  seenBytes = 0;
  /** Length of its output when a client last completed a line of input, in bytes; 0: never. */
  typedAtBytes = 0;
  /** Its running command; undefined: it is unknown, or the operation has ended. */
  command: RunningCommand | undefined;
  /** The screen of its terminal; undefined: it has no terminal, or has ended. */
  screen: TerminalScreen | undefined;
  /** Whether its command has, or had, its own terminal. */
  hasTerminal = false;
  /** Protected paths that changed while it ran; empty: none, or nothing is protected. */
  protectedChanges: readonly ProtectedChange[] = [];
  /** What its ended connections carried, and how many were refused, where its commands reach hosts by name. */
  network: NetworkTotals = { bytesOut: 0, bytesIn: 0, refusals: 0 };
  readonly #resolveEnded: (end: OperationEnd) => void;
  readonly #resolveBegan: () => void;
  readonly #output: OperationOutput;
  readonly #watchers: Emitter<Uint8Array>;
  readonly #watch: OutputWatch | undefined;
  readonly #abort = new AbortController();
  /** Until it runs: a person holds the client's connection, which ends before the operation is forgotten. */
  #given: Pick<StartOptions, "person" | "preview">;
  #work: Work | undefined;
  #status: OperationStatus = INITIAL_STATUS;
  #answer: { readonly result: Readonly<Record<string, unknown>>; readonly bytes: number } | undefined;

  constructor(parts: OperationRecordParts) {
    this.id = parts.id;
    this.ordinal = parts.ordinal;
    this.tool = parts.tool;
    this.title = parts.title;
    this.createdAt = parts.createdAt;
    this.timeoutSeconds = parts.timeoutSeconds;
    this.exclusive = parts.exclusive ?? [];
    this.server = parts.server;
    this.trace = parts.trace;
    this.turns = parts.turns;
    this.#given = { person: parts.person, preview: parts.preview };
    this.#work = parts.work;
    this.#output = new OperationOutput(parts.outputWindow, parts.spill);
    this.#watchers = new Emitter(parts.onListenerError);
    this.#watch = parts.watch && new OutputWatch(parts.watch, parts.onNews);
    const ended = Promise.withResolvers<OperationEnd>();
    this.ended = ended.promise;
    this.#resolveEnded = ended.resolve;
    const began = Promise.withResolvers<void>();
    this.began = began.promise;
    this.#resolveBegan = began.resolve;
  }

  get state(): OperationState {
    return this.#status.state;
  }
  /** Undefined: not ended. */
  get end(): OperationEnd | undefined {
    return this.#status.end;
  }
  /** Why it is being ended, from the moment of the request; undefined: it is not being ended. */
  get stop(): StopCause | undefined {
    return this.#status.stop;
  }
  get output(): OutputReader {
    return this.#output;
  }
  /** The finished result from another server; undefined: the output is the result. */
  get answer(): Readonly<Record<string, unknown>> | undefined {
    return this.#answer?.result;
  }
  /** Matches of its watch that were not reported yet; undefined: none. */
  get news(): WatchNews | undefined {
    return this.#watch?.news;
  }
  /** Memory its output holds, in bytes. */
  get heldBytes(): number {
    return this.#output.heldBytes + (this.#answer?.bytes ?? 0);
  }

  /** Passes every further chunk of output to `listener`, which must not retain it. */
  watchOutput(listener: (chunk: Uint8Array) => void): Unsubscribe {
    return this.#watchers.subscribe(listener);
  }

  /** Resizes its terminal, if it has one. */
  async resize(size: ScreenSize): Promise<void> {
    await this.screen?.resize(size);
    this.command?.input?.terminal?.resize(size);
  }

  /** Records that the matches of its watch were reported. */
  forgetNews(): void {
    this.#watch?.forget();
  }

  /** Keeps only both ends of its output, a few bytes each. */
  reduceOutput(bytes: number): void {
    this.#answer = undefined;
    this.#output.reduceTo(bytes);
  }

  /** Removes the files of its output; called when it is pruned. */
  discard(): void {
    this.#output.discard();
  }

  /** Applies one event; false: it changed nothing. A stop request aborts the work's signal. */
  apply(event: OperationEvent, now: number): boolean {
    const before = this.#status;
    this.#status = nextStatus(before, event);
    if (this.#status === before) return false;
    if (this.#status.state !== before.state) this.#stamp(now);
    if (this.#status.stop !== before.stop) this.#abort.abort(abortReason(this.#status.stop));
    return true;
  }

  /** Runs the work; called once, after the event `started`. Always resolves. */
  async runWork(onThrown: (thrown: unknown) => string): Promise<OperationEvent> {
    const [work, given] = [this.#work, this.#given];
    this.#work = undefined;
    this.#given = {};
    const control: WorkControl = {
      ...given,
      operation: { id: this.id, tool: this.tool },
      signal: this.#abort.signal,
      write: (chunk) => {
        if (this.endedAt === undefined) this.#watch?.take(chunk);
        return this.#write(chunk);
      },
      say: (line) => {
        this.said.add(line);
        void this.#write(encodeText(`${line}\n`));
      },
      running: (command) => {
        this.command = command;
        const { terminal } = command.input ?? {};
        this.hasTerminal ||= terminal !== undefined;
        this.screen ??= terminal && new TerminalScreen(terminal.size);
        this.#resolveBegan();
      },
      answer: (result) => this.#answer = { result, bytes: sizeOf(result) },
      protectedChanged: (changes) => this.protectedChanges = [...this.protectedChanges, ...changes],
      connected: ({ bytesOut, bytesIn, refused }) => {
        const { bytesOut: out, bytesIn: in_, refusals } = this.network;
        this.network = {
          bytesOut: out + bytesOut,
          bytesIn: in_ + bytesIn,
          refusals: refusals + (refused === undefined ? 0 : 1),
        };
      },
    };
    try {
      if (work === undefined) throw new TypeError(`Operation ${this.id} was started twice`);
      return { kind: "work_ended", end: await work(control) };
    } catch (thrown) {
      return { kind: "work_ended", end: { kind: "not_started", message: onThrown(thrown), fault: "server" } };
    }
  }

  #write(chunk: Uint8Array): Promise<void> | undefined {
    // Output after the end is dropped, because it would change a result that a client has read.
    if (this.endedAt !== undefined || chunk.length === 0) return undefined;
    this.#output.write(chunk);
    this.#watchers.emit(chunk);
    this.screen?.write(chunk);
    return this.#output.pressure ?? this.screen?.pressure;
  }

  #stamp(now: number): void {
    const { end } = this.#status;
    if (end === undefined) {
      this.startedAt = now;
      return;
    }
    this.endedAt = now;
    this.command = undefined;
    this.screen?.[Symbol.dispose]();
    this.screen = undefined;
    // Releases the closure of work that never ran.
    this.#work = undefined;
    this.#output.trim();
    this.#watch?.end();
    this.#resolveEnded(end);
    this.#resolveBegan();
  }
}

function abortReason(stop: StopCause | undefined): unknown {
  return stop?.killAfterMs === undefined ? stop?.message : new HurriedEnd(stop.message, stop.killAfterMs);
}
