/** Records what each operation changes in a project, and takes it back: the work of one process, on one store. */
import { UserError } from "../base/errors.ts";
import type { OpenFiles } from "../system/open_files/file_calls.ts";
import { FileFactsCalls } from "../system/open_files/file_facts.ts";
import { Journal, type LeftJournal, readAll, takeLeft } from "./journal/journal.ts";
import {
  type Change,
  combined,
  combinedRefs,
  differences,
  type MovedRef,
  type RecordedOperation,
} from "./model/change.ts";
import { type Left, planUndo, type Step } from "./model/plan.ts";
import { keptOperations, makePlaces, removeUnneeded, type StorePlaces } from "./store/places.ts";
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

export class Recorder implements Disposable {
  readonly #options: RecorderOptions;
  readonly #places: StorePlaces;
  readonly #roots: Roots;
  readonly #facts = new FileFactsCalls();
  readonly #watch = new TreeWatch();
  readonly #objects: ObjectStore;
  readonly #looking: Looking;
  readonly #journal: Journal;
  readonly #running = new Map<string, Running>();
  #refs: Refs = new Map();
  #problem: string | undefined;

  /** Looks at the whole project. @throws {Error} When the store cannot be written. */
  constructor(options: RecorderOptions) {
    const { files, roots, store, ignoredBytes } = options;
    this.#options = options;
    this.#places = makePlaces(store);
    this.#roots = new Roots(files, roots);
    const directory = files.directoryAt(this.#places.objects);
    if (directory === undefined) throw new UserError(`Cannot open "${this.#places.objects}"`);
    this.#objects = new ObjectStore({ files, facts: this.#facts, directory });
    const left = takeLeft(this.#places.journals);
    const known = (left.length > 0 ? left : readAll(this.#places.journals)).find(({ isReady }) => isReady);
    const parts = { files, roots: this.#roots, objects: this.#objects, watch: this.#watch, ignoredBytes };
    const before = known?.index ?? new Map();
    this.#looking = new Looking(parts, before);
    this.#looking.all();
    const indexes = [before, this.#looking.index];
    removeLeftDrafts(this.#looking.drafts, {
      files,
      roots: this.#roots,
      objects: this.#objects,
      indexes,
      now: options.now(),
    });
    this.#refs = readRefs(files, this.#roots, this.#watch);
    const at = options.now();
    const scopes = this.#roots.all.map(({ path }) => path);
    const past = keptOperations(this.#recovered(left), at);
    const { index } = this.#looking;
    this.#journal = Journal.begin(this.#places.journals, { scopes, index, past, at });
    for (const { file, path } of left) {
      Deno.removeSync(path);
      file.close();
    }
    const others = readAll(this.#places.journals, this.#journal.path);
    removeUnneeded(this.#places, [...others, { index, operations: past }], at);
  }

  /** Why something was not recorded since the last question; undefined: all was. */
  takeProblem(): string | undefined {
    const problem = this.#problem ?? this.#objects.takeProblem();
    this.#problem = undefined;
    return problem;
  }

  begin({ operation, title }: Recorded): void {
    this.#look();
    const running = this.#running.get(operation) ?? { runs: 0, changes: [], refs: [] };
    running.runs++;
    this.#running.set(operation, running);
    this.#note([{ kind: "begin", at: this.#options.now(), operation, title }]);
  }

  /** What changed since it began; changes of others that ran meanwhile are among them. */
  end(operation: string): Ended {
    this.#look();
    const running = this.#running.get(operation);
    if (running === undefined) return { changes: [], refs: [] };
    if (--running.runs === 0) {
      this.#running.delete(operation);
      this.#note([{ kind: "end", at: this.#options.now(), operation }]);
    }
    return { changes: combined(running.changes), refs: combinedRefs(running.refs) };
  }

  /** All operations of this project that changed something, of all servers, the last first. */
  operations(): readonly RecordedOperation[] {
    const all = readAll(this.#places.journals).flatMap(({ operations }) => operations);
    return all.filter(({ changes, refs }) => changes.length + refs.length > 0)
      .toSorted((one, other) => other.at - one.at);
  }

  /** The first bytes of a content; undefined: it is not there any more. */
  content(content: string, most: number): Uint8Array | undefined {
    return this.#objects.read(content, most);
  }

  /** Takes back what an operation changed, as an operation of its own. `chosen`: see `planUndo`. */
  undo(changes: readonly Change[], chosen: readonly string[] | undefined, as: Recorded): Undone {
    this.begin(as);
    const names = new Set(changes.map(({ path }) => path));
    this.#add(this.#looking.some({ names, trees: new Set() }), []);
    const plan = planUndo({ changes, present: (path) => this.#looking.index.get(path), chosen });
    const putting = new Putting({
      files: this.#options.files,
      facts: this.#facts,
      roots: this.#roots,
      objects: this.#objects,
    });
    const done: Step[] = [];
    const left = [...plan.left];
    for (const step of plan.steps) {
      const reason = putting.put(step);
      if (reason === undefined) done.push(step);
      else left.push({ path: step.path, reason });
    }
    for (const step of plan.finish) putting.finish(step);
    this.end(as.operation);
    return { done, left };
  }

  [Symbol.dispose](): void {
    this.#journal[Symbol.dispose]();
    this.#watch[Symbol.dispose]();
    this.#facts[Symbol.dispose]();
  }

  /** The operations of journals that were left; what differs since is of those that had not ended. */
  #recovered(left: readonly LeftJournal[]): readonly RecordedOperation[] {
    const found = new Map<string, RecordedOperation>();
    for (const { index, isReady, operations, running } of left) {
      const changed = running.length > 0 && isReady ? differences(index, this.#looking.index) : [];
      for (const one of operations) {
        // A journal that a later one has taken over can be left too.
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
