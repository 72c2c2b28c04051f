/** What the records of a journal say: the tree as it was last seen, and what each operation changed. Pure. */
import { type Change, combined, combinedRefs, type MovedRef, type RecordedOperation } from "../model/change.ts";
import type { Entry, State } from "../model/entry.ts";
import type { JournalRecord } from "./lines.ts";

export interface Replayed {
  /** Whether the first scan was complete. */
  readonly isReady: boolean;
  /** Directories that it is about. */
  readonly scopes: readonly string[];
  readonly index: Map<string, Entry>;
  /** In the order in which they began. */
  readonly operations: readonly RecordedOperation[];
  /** Those that have not ended. */
  readonly running: readonly string[];
}

interface Collected {
  at: number;
  title: string;
  readonly changes: (readonly Change[])[];
  readonly refs: (readonly MovedRef[])[];
  readonly shared: Set<string>;
}

export function replay(records: Iterable<JournalRecord>): Replayed {
  const index = new Map<string, Entry>();
  const operations = new Map<string, Collected>();
  const running = new Set<string>();
  let ready: readonly string[] | undefined;
  for (const record of records) {
    switch (record.kind) {
      case "seen":
        index.set(record.path, record.entry);
        break;
      case "ready":
        ready = record.scopes;
        break;
      case "begin": {
        const { operation, at, title } = record;
        Object.assign(knownIn(operations, { operation, at, title }), { at, title });
        running.add(operation);
        break;
      }
      case "changes":
        for (const { path, after } of record.changes) setState(index, path, after);
        for (const one of record.operations) collect(operations.get(one), one, record);
        break;
      case "end":
        running.delete(record.operation);
        Object.assign(operations.get(record.operation) ?? {}, { at: record.at });
        break;
      case "past": {
        const { operation, at, title, changes, refs, shared } = record.operation;
        const known = knownIn(operations, { operation, at, title });
        known.changes.push(changes);
        known.refs.push(refs);
        for (const other of shared) known.shared.add(other);
      }
    }
  }
  return {
    isReady: ready !== undefined,
    scopes: ready ?? [],
    index,
    operations: Array.from(operations, ([operation, { at, title, changes, refs, shared }]) => ({
      operation,
      at,
      title,
      changes: combined(changes),
      refs: combinedRefs(refs),
      shared: [...shared],
    })),
    running: [...running],
  };
}

/** Puts the entry of a path into an index. */
export function setState(index: Map<string, Entry>, path: string, state: State): void {
  if (state === undefined) index.delete(path);
  else index.set(path, state);
}

function knownIn(
  operations: Map<string, Collected>,
  { operation, at, title }: Pick<RecordedOperation, "operation" | "at" | "title">,
): Collected {
  const known = operations.get(operation) ?? { at, title, changes: [], refs: [], shared: new Set() };
  operations.set(operation, known);
  return known;
}

function collect(
  known: Collected | undefined,
  name: string,
  { changes, refs, operations }: Extract<JournalRecord, { readonly kind: "changes" }>,
): void {
  known?.changes.push(changes);
  known?.refs.push(refs);
  for (const other of operations) if (other !== name) known?.shared.add(other);
}
