import type { Operation, OperationRecord } from "./operation_record.ts";

/** How much of what ended is kept (X5). */
export interface HistoryLimits {
  readonly operations: number;
  /** Output of all of them together, in bytes. */
  readonly outputBytes: number;
}

/** Kept of either end of the output of a task that should have gone. */
const REDUCED_BYTES = 1024;
/** A multiple of the limit on operations: more are never kept, even if promised. */
const MOST_PROMISED = 10;

export const DEFAULT_HISTORY_LIMITS: HistoryLimits = { operations: 1000, outputBytes: 64 * 1024 * 1024 };

/** Ended operations, the oldest end first; the oldest go when there are too many or they hold too much. */
export class History {
  readonly #limits: HistoryLimits;
  readonly #records = new Map<string, OperationRecord>();
  /** Part of `#records`, so that a call need not look at a thousand to find the few that are new. */
  readonly #undelivered = new Set<OperationRecord>();
  /** Part of `#records`: beyond the limits, and kept for the time that was promised, with little output. */
  readonly #reduced = new Set<OperationRecord>();
  #heldBytes = 0;

  constructor(limits: HistoryLimits) {
    this.#limits = limits;
  }

  /** Adds one that has just ended and prunes; the newest one always stays. `now`: milliseconds since 1970. */
  add(record: OperationRecord, now: number): void {
    this.#records.set(record.id, record);
    const isAskedFor = record.isTask && record.taskCall === undefined;
    if (record.delivery !== "delivered" && !isAskedFor) this.#undelivered.add(record);
    this.#heldBytes += record.heldBytes;
    for (const oldest of this.#records.values()) {
      if (oldest === record || !this.#isFull()) return;
      if (this.#isPromised(oldest, now)) this.#reduce(oldest);
      else this.#remove(oldest);
    }
  }

  /** Removes all. */
  clear(): void {
    for (const record of [...this.#records.values()]) this.#remove(record);
  }

  get(id: string): OperationRecord | undefined {
    return this.#records.get(id);
  }

  values(): Iterable<OperationRecord> {
    return this.#records.values();
  }

  /** Those whose result the client has not got and would not ask for by itself. */
  undelivered(): Iterable<OperationRecord> {
    return this.#undelivered;
  }

  /** Remembers what the client has of the result of `id`; an unknown id is ignored. */
  markDelivery(id: string, delivery: "announced" | "delivered"): void {
    const record = this.#records.get(id);
    if (record === undefined || record.delivery === "delivered") return;
    record.delivery = delivery;
    if (delivery === "delivered") this.#undelivered.delete(record);
  }

  #isFull(): boolean {
    const full = this.#records.size - this.#reduced.size;
    return full > this.#limits.operations || this.#heldBytes > this.#limits.outputBytes;
  }

  /** The client was promised this one for longer, but with too many operations that cannot be kept. */
  #isPromised(record: OperationRecord, now: number): boolean {
    return record.isTask && now < record.createdAt + taskTtlMs(record, now) &&
      this.#records.size <= MOST_PROMISED * this.#limits.operations;
  }

  #reduce(record: OperationRecord): void {
    if (this.#reduced.has(record)) return;
    this.#reduced.add(record);
    const before = record.heldBytes;
    record.reduceOutput(REDUCED_BYTES);
    this.#heldBytes -= before - record.heldBytes;
  }

  #remove(record: OperationRecord): void {
    this.#records.delete(record.id);
    this.#undelivered.delete(record);
    this.#reduced.delete(record);
    this.#heldBytes -= record.heldBytes;
    record.discard();
  }
}

const HOUR_MS = 60 * 60 * 1000;

/**
 * How long a task can be asked for, milliseconds from its creation: at least another hour from now while it runs, at
 * least an hour after its end. The protocol lets it grow while the task runs, and never lets a server forget earlier.
 */
export function taskTtlMs({ createdAt, endedAt }: Pick<Operation, "createdAt" | "endedAt">, now: number): number {
  const age = Math.max(0, (endedAt ?? now) - createdAt);
  return (Math.floor(age / HOUR_MS) + 2) * HOUR_MS;
}
