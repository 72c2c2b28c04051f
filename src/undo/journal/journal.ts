/**
 * The journals of a project: one of each server, which holds its lock while it lives. A server that starts takes over what
 * those say that were left, so that what a killed server began is found.
 */
import { attempt, messageOf } from "../../base/errors.ts";
import type { RecordedOperation } from "../model/change.ts";
import type { Entry } from "../model/entry.ts";
import { inParts, type JournalRecord, lineOf, recordsOf } from "./lines.ts";
import { replay, type Replayed } from "./replay.ts";

const EXCLUSIVE = true;
const SUFFIX = ".journal";
/** Records that are written at once. */
const BATCH = 1000;
/** Bytes that are read at once. */
const PIECE_BYTES = 1024 * 1024;
/** Characters that wait for a disk with room; more of them are given up. */
const MOST_WAITING = 64 * 1024 * 1024;
/** A younger file without the suffix can be of a server that starts, milliseconds. */
const YOUNG_MS = 60_000;

/** A journal that no server holds, which this one now does. */
export interface LeftJournal extends Replayed {
  readonly file: Deno.FsFile;
  readonly path: string;
  /** When it was written last, milliseconds since 1970. */
  readonly usedAt: number;
}

/** What a new journal begins with. */
export interface FirstState {
  readonly scopes: readonly string[];
  readonly index: ReadonlyMap<string, Entry>;
  readonly past: readonly RecordedOperation[];
  /** Those of the past that go on. */
  readonly running: readonly RecordedOperation[];
  /** Milliseconds since 1970. */
  readonly at: number;
}

export class Journal implements Disposable {
  readonly path: string;
  readonly #file: Deno.FsFile;
  #length = 0;
  #first = 0;
  #waiting = "";

  private constructor(path: string, file: Deno.FsFile) {
    this.path = path;
    this.#file = file;
  }

  /** Makes one that is whole as soon as it has its name. @throws {Error} When it cannot be written. */
  static begin(directory: string, { scopes, index, past, running, at }: FirstState): Journal {
    const path = `${directory}/${at.toString(36)}-${crypto.randomUUID()}`;
    const file = Deno.openSync(path, { read: true, write: true, createNew: true, mode: 0o600 });
    file.tryLockSync(EXCLUSIVE);
    const journal = new Journal(`${path}${SUFFIX}`, file);
    const problem = journal.add([
      ...Array.from(index, ([name, entry]): JournalRecord => ({ kind: "seen", path: name, entry })),
      { kind: "ready", at, scopes } as const,
      ...past.map((operation): JournalRecord => ({ kind: "past", operation })),
      ...running.map((one): JournalRecord => ({ ...one, kind: "begin" })),
    ]);
    if (problem !== undefined) {
      file.close();
      Deno.removeSync(path);
      throw new Error(problem);
    }
    journal.#first = journal.#length;
    Deno.renameSync(path, journal.path);
    return journal;
  }

  /** Bytes that were added since it was begun. */
  get added(): number {
    return this.#length - this.#first;
  }

  /** What it says. */
  read(): Replayed {
    const file = Deno.openSync(this.path);
    try {
      return read(file);
    } finally {
      file.close();
    }
  }

  /** Writes records; those that cannot be written come with the next ones. Why they cannot; undefined: they are. */
  add(records: readonly JournalRecord[]): string | undefined {
    const parts = records.flatMap(inParts);
    let problem: string | undefined;
    for (let from = 0; from < parts.length; from += BATCH) {
      if (this.#waiting.length > MOST_WAITING) this.#waiting = "";
      this.#waiting += parts.slice(from, from + BATCH).map(lineOf).join("");
      problem = this.#write();
    }
    return problem;
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }

  #write(): string | undefined {
    const bytes = new TextEncoder().encode(this.#waiting);
    try {
      this.#file.seekSync(this.#length, Deno.SeekMode.Start);
      for (let at = 0; at < bytes.length;) at += this.#file.writeSync(bytes.subarray(at));
    } catch (thrown) {
      this.#file.truncateSync(this.#length);
      return messageOf(thrown);
    }
    this.#length += bytes.length;
    this.#waiting = "";
    return undefined;
  }
}

/** The journals in a directory that no server holds, the last used first; they are locked then. */
export function takeLeft(directory: string): readonly LeftJournal[] {
  removeUnfinished(directory);
  const left = journalPaths(directory).flatMap((path) => {
    const file = opened(path);
    if (file === undefined) return [];
    // Another server may have removed it before it was locked.
    if (!file.tryLockSync(EXCLUSIVE) || !isThere(path)) {
      file.close();
      return [];
    }
    return [{ file, path, usedAt: file.statSync().mtime?.getTime() ?? 0, ...read(file) }];
  });
  return left.toSorted((one, other) => other.usedAt - one.usedAt);
}

/** Whether no server but this one has a journal; `left`: those that it has taken. */
export function isAlone(directory: string, left: readonly LeftJournal[]): boolean {
  return journalPaths(directory).every((path) => left.some((one) => one.path === path));
}

/** What all journals say, those of running servers too; all but one. */
export function readAll(directory: string, except?: string): readonly Replayed[] {
  return withJournals(directory, except, (file) => [read(file)]);
}

/** Operations that other servers run now; a journal that no server holds says nothing of now. */
export function runningElsewhere(directory: string, own: string): readonly string[] {
  return withJournals(directory, own, (file) => file.tryLockSync(EXCLUSIVE) ? [] : read(file).running);
}

/** Works on every journal. One that goes meanwhile has a successor, which is in the directory already. */
function withJournals<Result>(
  directory: string,
  except: string | undefined,
  work: (file: Deno.FsFile) => readonly Result[],
): readonly Result[] {
  for (;;) {
    const results: Result[] = [];
    let isWhole = true;
    for (const path of journalPaths(directory)) {
      if (path === except) continue;
      using file = opened(path);
      if (file === undefined) isWhole = false;
      else results.push(...work(file));
    }
    if (isWhole) return results;
  }
}

function journalPaths(directory: string): readonly string[] {
  return Array.from(Deno.readDirSync(directory), ({ name }) => name).filter((name) => name.endsWith(SUFFIX)).sort()
    .map((name) => `${directory}/${name}`);
}

/** Removes journals that a killed server had not finished. */
function removeUnfinished(directory: string): void {
  for (const { name } of Deno.readDirSync(directory)) {
    if (name.endsWith(SUFFIX)) continue;
    const path = `${directory}/${name}`;
    using file = opened(path);
    const isYoung = Date.now() - (file?.statSync().mtime?.getTime() ?? 0) < YOUNG_MS;
    if (file !== undefined && !isYoung && file.tryLockSync(EXCLUSIVE) && isThere(path)) Deno.removeSync(path);
  }
}

/** Undefined: it is not there any more. */
function opened(path: string): Deno.FsFile | undefined {
  return attempt(Deno.errors.NotFound, () => Deno.openSync(path, { read: true, write: true }));
}

function isThere(path: string): boolean {
  return attempt(Deno.errors.NotFound, () => Deno.lstatSync(path)) !== undefined;
}

function read(file: Deno.FsFile): Replayed {
  return replay(recordsOf(piecesOf(file)));
}

function* piecesOf(file: Deno.FsFile): Generator<string> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(PIECE_BYTES);
  for (let length = file.readSync(buffer); length !== null; length = file.readSync(buffer)) {
    yield decoder.decode(buffer.subarray(0, length), { stream: true });
  }
}
