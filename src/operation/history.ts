import type { OperationRecord } from "./operation_record.ts";

/** How much of what ended is kept (X5). */
export interface HistoryLimits {
  readonly operations: number;
  /** Output of all of them together, in bytes. */
  readonly outputBytes: number;
}

export const DEFAULT_HISTORY_LIMITS: HistoryLimits = { operations: 1000, outputBytes: 64 * 1024 * 1024 };

/** Ended operations, the oldest end first; the oldest go when there are too many or they hold too much. */
export class History {
  readonly #limits: HistoryLimits;
  readonly #records = new Map<string, OperationRecord>();
  /** Part of `#records`, so that a call need not look at a thousand to find the few that are new. */
  readonly #uncollected = new Set<OperationRecord>();
  #heldBytes = 0;

  constructor(limits: HistoryLimits) {
    this.#limits = limits;
  }

  /** Adds one that has just ended and prunes; the newest one always stays. */
  add(record: OperationRecord): void {
    this.#records.set(record.id, record);
    if (!record.collected) this.#uncollected.add(record);
    this.#heldBytes += record.heldBytes;
    for (const oldest of this.#records.values()) {
      if (oldest === record || !this.#isFull()) return;
      this.#records.delete(oldest.id);
      this.#uncollected.delete(oldest);
      this.#heldBytes -= oldest.heldBytes;
    }
  }

  get(id: string): OperationRecord | undefined {
    return this.#records.get(id);
  }

  values(): Iterable<OperationRecord> {
    return this.#records.values();
  }

  /** Those whose result the client has not got. */
  uncollected(): Iterable<OperationRecord> {
    return this.#uncollected;
  }

  markCollected(id: string): void {
    const record = this.#records.get(id);
    if (record === undefined) return;
    record.markCollected();
    this.#uncollected.delete(record);
  }

  #isFull(): boolean {
    return this.#records.size > this.#limits.operations || this.#heldBytes > this.#limits.outputBytes;
  }
}
