/**
 * The only record of operations (X11): which run, wait or have ended, and how.
 *
 * start → queued (X12) → running → ended. A cancel, a timeout or a shutdown only aborts the work's signal; the
 * operation ends when its work settles, because only then are its processes gone. Every transition is announced once.
 * The registry does not know requests: an operation outlives the request that started it.
 */
import { Emitter, type Unsubscribe } from "../base/emitter.ts";
import { messageOf } from "../base/errors.ts";
import { Timers } from "../base/time.ts";
import { OperationIds, shortId } from "./operation_id.ts";
import type { Logger } from "../base/log.ts";
import { DEFAULT_HISTORY_LIMITS, History, type HistoryLimits } from "./history.ts";
import {
  isEnded,
  logFields,
  type OperationEvent,
  type OperationState,
  type StopCause,
  type Work,
} from "./operation.ts";
import { type Operation, OperationRecord, type StartOptions } from "./operation_record.ts";
import { DEFAULT_OUTPUT_WINDOW, type OutputWindow } from "./output/output.ts";
import type { SpillSpace } from "./output/spill_files.ts";
import { ProtocolTasks, type TaskCall } from "./protocol_tasks.ts";
import { Turns } from "./concurrency.ts";

/** An operation changed its state; `from` is undefined for a new one. */
export interface Transition {
  readonly operation: Operation;
  readonly from: OperationState | undefined;
  readonly to: OperationState;
}

export interface RegistryOptions {
  /** How many works run at once, at least 1; further ones queue in order (X12). Turns: shared with other registries. */
  readonly maxConcurrency: number | Turns;
  readonly log: Logger;
  /** Absent: 1,000 operations and 64 MiB of output. */
  readonly history?: HistoryLimits;
  /** Absent: 1 MiB per operation. */
  readonly outputWindow?: OutputWindow;
  /** Stores output beyond the window; absent: such output is lost. */
  readonly spill?: SpillSpace | undefined;
  /** Gets every transition; absent: only those that subscribe do. */
  readonly observe?: ((transition: Transition) => void) | undefined;
  /** Milliseconds since 1970; absent: the clock. */
  readonly now?: () => number;
  /** Ids of 8 characters, for a registry with a single client (X11); absent: ULIDs. */
  readonly shortIds?: boolean;
  /** Operations are not listed and are found only by id: for clients that cannot be told apart. */
  readonly byIdOnly?: boolean;
}

export interface WaitOptions {
  /** Whether news of a watch end the wait too; absent: they do not. */
  readonly orNews?: true;
  /** Aborted: the wait ends, the operations continue. */
  readonly signal?: AbortSignal | undefined;
  /** Absent: no limit. */
  readonly timeoutMs?: number | undefined;
}

export type WaitEnd = "ended" | "news" | "timed_out" | "aborted";

export type CancelOutcome =
  | { readonly kind: "unknown" }
  | { readonly kind: "already_ended"; readonly operation: Operation }
  /** It has ended, and its processes are gone. Its state shows the first cause, which may not be this cancel. */
  | { readonly kind: "ended"; readonly operation: Operation };

/** Longest delay that a timer accepts, about 24.8 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class OperationRegistry {
  readonly tasks = new ProtocolTasks<Operation>((thrown) => this.#reportListener(thrown));
  readonly #options: RegistryOptions;
  readonly #now: () => number;
  readonly #timers = new Timers();
  readonly #ids = new OperationIds();
  readonly #transitions: Emitter<Transition>;
  readonly #news: Emitter<Operation>;
  /** Operations with unreported watched lines. */
  readonly #withNews = new Set<OperationRecord>();
  readonly #history: History;
  /** Queued and running, in order of arrival. */
  readonly #active = new Map<string, OperationRecord>();
  readonly #turns: Turns;
  #started = 0;
  #running = 0;
  #closed = false;

  constructor(options: RegistryOptions) {
    this.#options = options;
    const { maxConcurrency } = options;
    this.#turns = typeof maxConcurrency === "number" ? new Turns(maxConcurrency) : maxConcurrency;
    this.#now = options.now ?? Date.now;
    this.#transitions = new Emitter((thrown) => this.#reportListener(thrown));
    this.#news = new Emitter((thrown) => this.#reportListener(thrown));
    this.#history = new History(options.history ?? DEFAULT_HISTORY_LIMITS);
    if (options.observe !== undefined) this.#transitions.subscribe(options.observe);
  }

  /** Whether operations are found only by id: then `list`, `listActive` and `undelivered` are empty. */
  get byIdOnly(): boolean {
    return this.#options.byIdOnly === true;
  }

  /** How many works run now. */
  get runningCount(): number {
    return this.#running;
  }

  /** How many operations are queued. */
  get queuedCount(): number {
    return this.#active.size - this.#running;
  }

  /** Calls the listener for every transition from now on. */
  subscribe(listener: (transition: Transition) => void): Unsubscribe {
    return this.#transitions.subscribe(listener);
  }

  /** Starts or queues `work`; after `shutdown` it is cancelled. `tool`: the MCP tool's name; `title`: one line. */
  start(tool: string, title: string, work: Work, options: StartOptions = {}): Operation {
    const record: OperationRecord = new OperationRecord({
      id: this.#newId(),
      ordinal: ++this.#started,
      tool,
      title,
      work,
      ...options,
      onNews: () => {
        this.#withNews.add(record);
        this.#news.emit(record);
      },
      createdAt: this.#now(),
      outputWindow: this.#options.outputWindow ?? DEFAULT_OUTPUT_WINDOW,
      spill: this.#options.spill?.newFile(),
      onListenerError: (thrown) => this.#reportListener(thrown),
    });
    this.#active.set(record.id, record);
    if (!this.#closed && this.#turnsOf(record).begin(record)) {
      this.#run(record, undefined);
      return record;
    }
    this.#turnsOf(record).wait(record, () => this.#run(record, "queued"));
    this.#announce(record, undefined);
    if (this.#closed) this.#apply(record, stopRequest("cancelled", "Ahma is shutting down"));
    return record;
  }

  /** Undefined: never existed, or pruned. */
  get(id: string): Operation | undefined {
    return this.#active.get(id) ?? this.#history.get(id);
  }

  /** Ended ones first, oldest end first, then queued and running ones in order of arrival. */
  list(): readonly Operation[] {
    return this.byIdOnly ? [] : this.everything();
  }

  /** The same even if clients cannot be distinguished; for the server's own user. */
  everything(): readonly Operation[] {
    return [...this.#history.values(), ...this.#active.values()];
  }

  /** Queued and running ones in order of arrival. */
  listActive(): readonly Operation[] {
    return this.byIdOnly ? [] : [...this.#active.values()];
  }

  /** 1 for the next in turn; undefined: not queued. */
  queuePosition(id: string): number | undefined {
    const record = this.#active.get(id);
    return record === undefined ? undefined : this.#turnsOf(record).position(record);
  }

  /** Ended operations whose result is not delivered, oldest end first (X5c). */
  undelivered(): readonly Operation[] {
    return this.byIdOnly ? [] : [...this.#history.undelivered()];
  }

  /** Undelivered operations whose end is not announced either (X18). */
  unannounced(): readonly Operation[] {
    return this.undelivered().filter(({ delivery }) => delivery === "undelivered");
  }

  /** Remembers that the client has the result of `id`, or that a request waits for it; an unknown id is ignored. */
  markDelivered(id: string): void {
    const active = this.#active.get(id);
    if (active !== undefined) active.delivery = "delivered";
    this.#history.markDelivery(id, "delivered");
  }

  /** The request that waited for the unfinished `id` no longer waits: the result must still be delivered. */
  markUndelivered(id: string): void {
    const active = this.#active.get(id);
    if (active !== undefined) active.delivery = "undelivered";
  }

  /** Remembers that the end of `id` was reported to the client; an unknown or running one is ignored. */
  markAnnounced(id: string): void {
    this.#history.markDelivery(id, "announced");
  }

  /** The client has seen the output of `id` up to this place, absent: all that there is; one that does not run is ignored. */
  markSeen(id: string, bytes?: number): void {
    const active = this.#active.get(id);
    if (active !== undefined) active.seenBytes = bytes ?? active.output.totalBytes;
  }

  /** A client ends a line of input when the output is `bytes` long. */
  markTyped(id: string, bytes: number): void {
    const active = this.#active.get(id);
    if (active !== undefined) active.typedAtBytes = bytes;
  }

  /** Calls the listener whenever lines that are watched for were written. */
  subscribeNews(listener: (operation: Operation) => void): Unsubscribe {
    return this.#news.subscribe(listener);
  }

  /**
   * Operations with news of their watch that the client does not have with a result (X21). `id`: that of an operation that
   * the client has named, the only one where others are not listed; undefined: none.
   */
  withNews(id: string | undefined): readonly Operation[] {
    for (const record of this.#withNews) {
      const isKnown = this.get(record.id) !== undefined && record.news !== undefined;
      if (!isKnown || isEnded(record.state) && record.delivery === "delivered") this.#withNews.delete(record);
    }
    return [...this.#withNews].filter((one) => !this.byIdOnly || one.id === id);
  }

  /** Remembers that the client was told the news of an operation. */
  markTold(id: string): void {
    for (const record of this.#withNews) {
      if (record.id !== id) continue;
      record.forgetNews();
      this.#withNews.delete(record);
    }
  }

  /** The client has unfinished `id` as a task, and will ask. `call`: what the task is; absent: the operation. */
  markTask(id: string, call?: TaskCall): void {
    const active = this.#active.get(id);
    if (active !== undefined) Object.assign(active, { isTask: true, taskCall: call });
  }

  /** Waits until all of `ids` have ended; unknown ids count as ended. It never ends an operation (B2). */
  wait(ids: Iterable<string>, options: WaitOptions = {}): Promise<WaitEnd> {
    const pending = new Set<string>();
    for (const id of ids) if (this.#active.has(id)) pending.add(id);
    if (pending.size === 0) return Promise.resolve("ended");
    const { signal, timeoutMs, orNews } = options;
    if (signal?.aborted) return Promise.resolve("aborted");
    if (orNews && [...this.#withNews].some(({ id, news }) => news !== undefined && pending.has(id))) {
      return Promise.resolve("news");
    }
    const { promise, resolve } = Promise.withResolvers<WaitEnd>();
    const onAbort = () => resolve("aborted");
    const unsubscribe = this.#transitions.subscribe(({ operation, to }) => {
      if (isEnded(to) && pending.delete(operation.id) && pending.size === 0) resolve("ended");
    });
    const unsubscribeNews = this.#news.subscribe(({ id }) => {
      if (orNews && pending.has(id)) resolve("news");
    });
    const leave = timeoutMs === undefined ? undefined : this.#startTimer(timeoutMs, () => resolve("timed_out"));
    signal?.addEventListener("abort", onAbort, { once: true });
    return promise.finally(() => {
      unsubscribe();
      unsubscribeNews();
      leave?.();
      signal?.removeEventListener("abort", onAbort);
    });
  }

  /** Ends an operation and resolves when it has ended. The result contains `reason`. */
  async cancel(id: string, reason: string): Promise<CancelOutcome> {
    const record = this.#active.get(id);
    if (record === undefined) {
      const operation = this.#history.get(id);
      return operation === undefined ? { kind: "unknown" } : { kind: "already_ended", operation };
    }
    this.#apply(record, stopRequest("cancelled", reason));
    await record.ended;
    return { kind: "ended", operation: record };
  }

  /**
   * Gives queued and running operations `graceMs` to end by themselves, then ends them; resolves when all have ended
   * (X14). New operations are accepted until the grace is over. A second call with a shorter grace cuts the first one
   * short. `killAfterMs`: from SIGTERM to SIGKILL; absent: as usual (X9).
   */
  async shutdown(graceMs: number, killAfterMs?: number): Promise<void> {
    const deadline = this.#now() + graceMs;
    // In a loop, because operations that start within the grace have the rest of it.
    while (this.#active.size > 0) {
      const end = await this.wait(this.#active.keys(), { timeoutMs: Math.max(0, deadline - this.#now()) });
      if (end !== "ended") break;
    }
    this.#closed = true;
    const stop = stopRequest("cancelled", "Ahma is shutting down", killAfterMs);
    const ids = [...this.#active.keys()];
    // Queued operations first, so that none of them starts when a running one ends.
    const active = [...this.#active.values()];
    const queued = active.filter(({ state }) => state === "queued");
    for (const record of [...queued, ...active]) this.#apply(record, stop);
    await this.wait(ids);
  }

  /** Discards every result and its output, for a session that is over. No operation may still run. */
  discardResults(): void {
    this.#history.clear();
  }

  #newId(): string {
    while (true) {
      const id = this.#options.shortIds === true ? shortId() : this.#ids.next(this.#now());
      if (this.get(id) === undefined) return id;
    }
  }

  #turnsOf({ turns }: OperationRecord): Turns {
    return turns ?? this.#turns;
  }

  #run(record: OperationRecord, from: OperationState | undefined): void {
    this.#running++;
    record.apply({ kind: "started" }, this.#now());
    // The work goes first: a command runs while the rest is done. It never rejects; what follows it does not throw.
    const working = record.runWork((thrown) => this.#describeThrown(record, thrown));
    const leave = this.#startTimeout(record);
    this.#announce(record, from);
    void working.then((event) => {
      leave?.();
      this.#running--;
      this.#apply(record, event);
      this.#turnsOf(record).end(record);
    });
  }

  #startTimeout(record: OperationRecord): (() => void) | undefined {
    const { timeoutSeconds } = record;
    if (timeoutSeconds === undefined) return undefined;
    const stop = stopRequest("timed_out", `Ended after its time limit of ${timeoutSeconds} s`);
    return this.#startTimer(timeoutSeconds * 1000, () => this.#apply(record, stop));
  }

  #startTimer(ms: number, action: () => void): (() => void) | undefined {
    return ms > LONGEST_TIMER_MS ? undefined : this.#timers.start(ms, action);
  }

  #apply(record: OperationRecord, event: OperationEvent): void {
    const from = record.state;
    if (!record.apply(event, this.#now()) || record.state === from) return;
    if (isEnded(record.state)) {
      this.#turnsOf(record).leave(record);
      this.#active.delete(record.id);
      this.#history.add(record, this.#now());
    }
    this.#announce(record, from);
  }

  #announce(operation: OperationRecord, from: OperationState | undefined): void {
    const { id, tool, state, end } = operation;
    const neverRan = state === "failed" && end?.message !== undefined;
    this.#options.log[neverRan ? "warn" : "debug"]("Operation", { ...logFields(end), operation: id, tool, state });
    this.#transitions.emit({ operation, from, to: operation.state });
    if (from !== undefined) this.tasks.changed(operation);
  }

  #describeThrown(record: OperationRecord, thrown: unknown): string {
    this.#options.log.error("The work of an operation threw", { operation: record.id, error: messageOf(thrown) });
    return `Internal error: ${messageOf(thrown)}`;
  }

  #reportListener(thrown: unknown): void {
    this.#options.log.error("A listener of operations threw", { error: messageOf(thrown) });
  }
}

function stopRequest(state: StopCause["state"], message: string, killAfterMs?: number): OperationEvent {
  return { kind: "stop_requested", cause: { state, message, ...killAfterMs !== undefined && { killAfterMs } } };
}
