/**
 * The journals of a project: one for each server, which holds its lock as long as it runs. A starting server takes over
 * abandoned journals, so that it finds what a killed server began.
 */
import { attempt, messageOf } from "../../base/errors.ts";
import { freeLock } from "../../system/replace/file_lock.ts";
import type { RecordedOperation } from "../model/change.ts";
import type { Entry } from "../model/entry.ts";
import { inParts, type JournalRecord, lineOf, recordsOf } from "./lines.ts";
import { replay, type Replayed } from "./replay.ts";

const EXCLUSIVE = true;
const SUFFIX = ".journal";
/** Most records that are written in one call. */
const BATCH = 1000;
/** Most bytes that are read in one call. */
const PIECE_BYTES = 1024 * 1024;
/** Most characters that wait for free disk space; further ones are dropped. */
const MOST_WAITING = 64 * 1024 * 1024;
/** A younger file without the suffix may belong to a starting server, milliseconds. */
const YOUNG_MS = 60_000;

/** An abandoned journal, which this server has locked. */
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
  /** Earlier operations that still run. */
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

  /** Creates one that is complete as soon as it has its name. @throws {Error} When it cannot be written. */
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

  /** Bytes that were added since it was created. */
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

  /** Writes records; those that cannot be written are written with the next ones. Returns why they cannot; undefined: they are written. */
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
    freeLock(this.#file);
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

/** Locks the abandoned journals in a directory, the last used first. */
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

/** Whether only this server has a journal; `left`: those that it has taken over. */
export function isAlone(directory: string, left: readonly LeftJournal[]): boolean {
  return journalPaths(directory).every((path) => left.some((one) => one.path === path));
}

/** What all journals but one say, those of running servers too. */
export function readAll(directory: string, except?: string): readonly Replayed[] {
  return withJournals(directory, except, (file) => [read(file)]);
}

/** Operations that other servers run now; an abandoned journal says nothing about the present. */
export function runningElsewhere(directory: string, own: string): readonly string[] {
  return withJournals(directory, own, (file) => file.tryLockSync(EXCLUSIVE) ? [] : read(file).running);
}

/** Calls back for every journal. One that is removed meanwhile has a successor, which is already in the directory. */
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

/** Undefined: it no longer exists. */
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
