import type { Operation, OperationRecord } from "./operation_record.ts";

/** How many ended operations are kept (X5). */
export interface HistoryLimits {
  readonly operations: number;
  /** Total size of their outputs, in bytes. */
  readonly outputBytes: number;
}

/** How much of either end of its output an overdue task keeps, bytes. */
const REDUCED_BYTES = 1024;
/** At most this multiple of the limit is kept, even if the client was promised more. */
const MOST_PROMISED = 10;

export const DEFAULT_HISTORY_LIMITS: HistoryLimits = { operations: 1000, outputBytes: 64 * 1024 * 1024 };

/** Ended operations, oldest end first. The oldest are removed if there are too many or their outputs are too large. */
export class History {
  readonly #limits: HistoryLimits;
  readonly #records = new Map<string, OperationRecord>();
  /** The new ones of `#records`, so that a call need not search all of them. */
  readonly #undelivered = new Set<OperationRecord>();
  /** Those of `#records` beyond the limits, which are kept for the promised time with little output. */
  readonly #reduced = new Set<OperationRecord>();
  #heldBytes = 0;

  constructor(limits: HistoryLimits) {
    this.#limits = limits;
  }

  /** Adds an ended operation and removes old ones; the newest always stays. `now`: milliseconds since 1970. */
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

  /** Operations whose result the client neither has nor would ask for by itself. */
  undelivered(): Iterable<OperationRecord> {
    return this.#undelivered;
  }

  /** Records how much of the result of `id` the client has; an unknown id is ignored. */
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

  /** The client was promised this task for longer, but there are too many operations to keep it. */
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
