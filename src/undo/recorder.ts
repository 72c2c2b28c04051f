/** Records what each operation changes in a project, and undoes it: the work of one process, on one store. */
import { messageOf, UserError } from "../base/errors.ts";
import type { OpenFiles } from "../system/open_files/file_calls.ts";
import { FileFactsCalls } from "../system/open_files/file_facts.ts";
import { freeLock } from "../system/replace/file_lock.ts";
import { isAlone, Journal, type LeftJournal, readAll, runningElsewhere, takeLeft } from "./journal/journal.ts";
import {
  type Change,
  combined,
  combinedRefs,
  differences,
  type Index,
  type MovedRef,
  type RecordedOperation,
} from "./model/change.ts";
import { type Left, otherNames, type Plan, planUndo, type Step } from "./model/plan.ts";
import { keptOperations, makePlaces, MOST_PAST_BYTES, removeUnneeded, type StorePlaces } from "./store/places.ts";
import { ObjectStore } from "./store/objects.ts";
import { isOfRefs, movedRefs, readRefs, type Refs } from "./tree/git_refs.ts";
import { removeLeftDrafts } from "./tree/left_drafts.ts";
import { Looking } from "./tree/looking.ts";
import { Putting } from "./tree/put.ts";
import { type Root, Roots } from "./tree/roots.ts";
import { TreeWatch } from "./tree/tree_watch.ts";

export interface RecorderOptions {
  readonly files: OpenFiles;
  /** The directories of the project, open. */
  readonly roots: readonly Root[];
  /** Absolute; no command can reach it. */
  readonly store: string;
  /** Bytes of ignored files that are stored. */
  readonly ignoredBytes: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** An operation that is recorded. */
export interface Recorded {
  readonly operation: string;
  readonly title: string;
}

/** What an operation changed since it began. */
export interface Ended {
  readonly changes: readonly Change[];
  readonly refs: readonly MovedRef[];
}

export interface Undone {
  readonly done: readonly Step[];
  readonly left: readonly Left[];
}

interface Running {
  /** Runs of one operation that have not ended. */
  runs: number;
  readonly changes: (readonly Change[])[];
  readonly refs: (readonly MovedRef[])[];
}

/** Milliseconds of work after which an undo lets other calls of its process run. */
const YIELDS_EVERY_MS = 20;
/** Milliseconds: a day. */
const TIDIED_EVERY_MS = 86_400_000;
/** Most bytes of a journal, which is read whole for each question. */
const MOST_ADDED_BYTES = 64 * 1024 * 1024;

export class Recorder implements Disposable {
  readonly #options: RecorderOptions;
  readonly #places: StorePlaces;
  readonly #roots: Roots;
  readonly #facts = new FileFactsCalls();
  readonly #watch = new TreeWatch();
  readonly #objects: ObjectStore;
  readonly #looking: Looking;
  #journal: Journal;
  /** When old operations were last dropped, milliseconds since 1970. */
  #tidiedAt = 0;
  readonly #running = new Map<string, Running>();
  #refs: Refs = new Map();
  #problem: string | undefined;

  /** Scans the whole project. @throws {Error} When the store cannot be written. */
  constructor(options: RecorderOptions) {
    const { files, roots, store, ignoredBytes } = options;
    this.#options = options;
    this.#places = makePlaces(store);
    this.#roots = new Roots(files, roots);
    const directory = files.directoryAt(this.#places.objects);
    if (directory === undefined) throw new UserError(`Cannot open "${this.#places.objects}"`);
    this.#objects = new ObjectStore({ files, facts: this.#facts, directory });
    let left: readonly LeftJournal[] = [];
    try {
      left = takeLeft(this.#places.journals);
      const known = (left.length > 0 ? left : readAll(this.#places.journals)).find(({ isReady }) => isReady);
      const before = known?.index ?? new Map();
      const parts = { files, roots: this.#roots, objects: this.#objects, watch: this.#watch, ignoredBytes };
      this.#looking = new Looking(parts, before);
      this.#looking.all();
      this.#removeDrafts(before, left);
      this.#refs = readRefs(files, this.#roots, this.#watch);
      this.#journal = this.#newJournal(this.#recovered(left), []);
      for (const { path } of left) Deno.removeSync(path);
      this.#removeUnneeded();
    } catch (thrown) {
      // It may be tried again: nothing stays open or locked.
      for (const one of [this.#watch, this.#facts]) one[Symbol.dispose]();
      throw thrown;
    } finally {
      for (const { file } of left) freeLock(file);
    }
  }

  /** Why something was not recorded since the last call; undefined: everything was. */
  takeProblem(): string | undefined {
    const problem = this.#problem ?? this.#objects.takeProblem();
    this.#problem = undefined;
    return problem;
  }

  begin({ operation, title }: Recorded): void {
    this.#look();
    this.#tidy();
    const running = this.#running.get(operation) ?? { runs: 0, changes: [], refs: [] };
    running.runs++;
    this.#running.set(operation, running);
    this.#note([{ kind: "begin", at: this.#options.now(), operation, title }]);
  }

  /** What changed since it began; changes of others that ran meanwhile are among them. */
  end(operation: string): Ended {
    this.#look();
    const running = this.#running.get(operation);
    if (running === undefined) return this.#endedElsewhere(operation);
    if (--running.runs === 0) {
      this.#running.delete(operation);
      this.#note([{ kind: "end", at: this.#options.now(), operation }]);
    }
    return { changes: combined(running.changes), refs: combinedRefs(running.refs) };
  }

  /** All operations of this project that changed something, of all servers, the last first. */
  operations(): readonly RecordedOperation[] {
    if (this.#running.size > 0) this.#look();
    const all = readAll(this.#places.journals).flatMap(({ operations }) => operations);
    return all.filter(({ changes, refs }) => changes.length + refs.length > 0)
      .toSorted((one, other) => other.at - one.at);
  }

  /** The first bytes of a content; undefined: it no longer exists. */
  content(content: string, most: number): Uint8Array | undefined {
    return this.#objects.read(content, most);
  }

  /** Whether an operation has not ended, here or in another server. */
  isRunning(operation: string): boolean {
    return this.#running.has(operation) ||
      runningElsewhere(this.#places.journals, this.#journal.path).includes(operation);
  }

  /** Undoes a change as an operation, until `signal` aborts; it yields, so that others are recorded meanwhile. */
  *undo(
    changes: readonly Change[],
    chosen: readonly string[] | undefined,
    as: Recorded,
    signal?: AbortSignal,
  ): Generator<undefined, Undone> {
    this.begin(as);
    try {
      const names = new Set(changes.map(({ path }) => path));
      this.#add(this.#looking.some({ names, trees: new Set() }), []);
      const plan = planUndo({ changes, present: (path) => this.#looking.index.get(path), chosen });
      const put = yield* this.#put(plan, signal);
      return { ...put, left: [...plan.left, ...put.left] };
    } finally {
      this.end(as.operation);
    }
  }

  [Symbol.dispose](): void {
    this.#journal[Symbol.dispose]();
    this.#watch[Symbol.dispose]();
    this.#facts[Symbol.dispose]();
  }

  /** Another recorder began it, and was killed: what it did since this one looked first belongs to no operation. */
  #endedElsewhere(operation: string): Ended {
    this.#problem ??= "what records changes was restarted while it ran";
    return this.operations().find((one) => one.operation === operation) ?? { changes: [], refs: [] };
  }

  #removeDrafts(before: Index, left: readonly LeftJournal[]): void {
    const { files, now } = this.#options;
    removeLeftDrafts(this.#looking.drafts, {
      files,
      roots: this.#roots,
      objects: this.#objects,
      indexes: [before, this.#looking.index],
      now: now(),
      isAlone: isAlone(this.#places.journals, left),
    });
  }

  /** Including kept operations of the past, and those that still run. */
  #newJournal(past: readonly RecordedOperation[], running: readonly RecordedOperation[]): Journal {
    const at = this.#options.now();
    this.#tidiedAt = at;
    this.#objects.takeWritten();
    const scopes = this.#roots.all.map(({ path }) => path);
    const kept = [...keptOperations(past, at), ...running];
    return Journal.begin(this.#places.journals, { scopes, index: this.#looking.index, past: kept, running, at });
  }

  /** Drops operations that are too old or too large, once a day, or after much was stored. */
  #tidy(): void {
    const isDue = this.#options.now() - this.#tidiedAt > TIDIED_EVERY_MS ||
      this.#objects.written > MOST_PAST_BYTES || this.#journal.added > MOST_ADDED_BYTES;
    if (!isDue) return;
    const old = this.#journal;
    const { operations, running } = old.read();
    const goesOn = ({ operation }: RecordedOperation) => running.includes(operation);
    try {
      this.#journal = this.#newJournal(operations.filter((one) => !goesOn(one)), operations.filter(goesOn));
    } catch (thrown) {
      this.#problem = messageOf(thrown);
      return;
    }
    Deno.removeSync(old.path);
    old[Symbol.dispose]();
    this.#removeUnneeded();
  }

  #removeUnneeded(): void {
    const { index } = this.#looking;
    removeUnneeded(this.#places, [...readAll(this.#places.journals), { index, operations: [] }], {
      now: this.#options.now(),
      isOwn: (content, modified) => this.#objects.isOwn(content, modified),
    });
  }

  /** The operations of abandoned journals; later differences belong to those that had not ended. */
  #recovered(left: readonly LeftJournal[]): readonly RecordedOperation[] {
    const found = new Map<string, RecordedOperation>();
    for (const { index, isReady, operations, running } of left) {
      const changed = running.length > 0 && isReady ? differences(index, this.#looking.index) : [];
      for (const one of operations) {
        // A journal that a later one has taken over can still exist.
        if (found.has(one.operation)) continue;
        found.set(one.operation, {
          ...one,
          ...running.includes(one.operation) && {
            changes: combined([one.changes, changed]),
            // Its server did not see its end.
            shared: [...one.shared, "others, until the next start"],
          },
        });
      }
    }
    return [...found.values()];
  }

  *#put({ steps, finish }: Plan, signal: AbortSignal | undefined): Generator<undefined, Undone> {
    const { files } = this.#options;
    const names = otherNames(steps, this.#looking.index);
    const putting = new Putting({ files, facts: this.#facts, roots: this.#roots, objects: this.#objects, names });
    const done: Step[] = [];
    const left: Left[] = [];
    let yieldedAt = performance.now();
    for (const step of steps) {
      if (performance.now() - yieldedAt > YIELDS_EVERY_MS) {
        yield;
        yieldedAt = performance.now();
      }
      const reason = signal?.aborted === true ? "the undo was cancelled" : putting.put(step);
      if (reason === undefined) done.push(step);
      else left.push({ path: step.path, reason });
    }
    for (const step of finish) putting.finish(step);
    return { done, left };
  }

  #look(): void {
    const noticed = this.#watch.take();
    const changes = noticed === undefined ? this.#looking.all() : this.#looking.some(noticed);
    const mayHaveMoved = noticed === undefined || [...noticed.names, ...noticed.trees].some(isOfRefs);
    if (!mayHaveMoved) return this.#add(changes, []);
    const refs = readRefs(this.#options.files, this.#roots, this.#watch);
    const moved = movedRefs(this.#refs, refs);
    this.#refs = refs;
    this.#add(changes, moved);
  }

  #add(changes: readonly Change[], refs: readonly MovedRef[]): void {
    if (changes.length + refs.length === 0) return;
    for (const running of this.#running.values()) {
      running.changes.push(changes);
      running.refs.push(refs);
    }
    this.#note([{ kind: "changes", operations: [...this.#running.keys()], changes, refs }]);
  }

  #note(records: Parameters<Journal["add"]>[0]): void {
    const problem = this.#journal.add(records);
    if (problem !== undefined) this.#problem = problem;
  }
}
