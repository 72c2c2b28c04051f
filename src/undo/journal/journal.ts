/**
 * The journals of a project: one of each server, which holds its lock while it lives. A server that starts takes over what
 * those say that were left, so that what a killed server began is found.
 */
import { messageOf } from "../../base/errors.ts";
import type { RecordedOperation } from "../model/change.ts";
import type { Entry } from "../model/entry.ts";
import { type JournalRecord, lineOf, recordsOf } from "./lines.ts";
import { replay, type Replayed } from "./replay.ts";

const EXCLUSIVE = true;
const SUFFIX = ".journal";
/** Records that are written at once. */
const BATCH = 1000;

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
  /** Milliseconds since 1970. */
  readonly at: number;
}

export class Journal implements Disposable {
  readonly path: string;
  readonly #file: Deno.FsFile;
  #length = 0;
  #waiting = "";

  private constructor(path: string, file: Deno.FsFile) {
    this.path = path;
    this.#file = file;
  }

  /** Makes one that is whole as soon as it has its name. @throws {Error} When it cannot be written. */
  static begin(directory: string, { scopes, index, past, at }: FirstState): Journal {
    const path = `${directory}/${at.toString(36)}-${crypto.randomUUID()}`;
    const file = Deno.openSync(path, { read: true, write: true, createNew: true, mode: 0o600 });
    file.tryLockSync(EXCLUSIVE);
    const journal = new Journal(`${path}${SUFFIX}`, file);
    const lines = [
      ...Array.from(index, ([name, entry]): JournalRecord => ({ kind: "seen", path: name, entry })),
      { kind: "ready", at, scopes } as const,
      ...past.map((operation): JournalRecord => ({ kind: "past", operation })),
    ];
    for (let from = 0; from < lines.length; from += BATCH) {
      const problem = journal.add(lines.slice(from, from + BATCH));
      if (problem === undefined) continue;
      file.close();
      Deno.removeSync(path);
      throw new Error(problem);
    }
    Deno.renameSync(path, journal.path);
    return journal;
  }

  /** Writes records; those that cannot be written come with the next ones. Why they cannot; undefined: they are. */
  add(records: readonly JournalRecord[]): string | undefined {
    this.#waiting += records.map(lineOf).join("");
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

  [Symbol.dispose](): void {
    this.#file.close();
  }
}

/** The journals in a directory that no server holds, the last used first; they are locked then. */
export function takeLeft(directory: string): readonly LeftJournal[] {
  const left = journalPaths(directory).flatMap((path) => {
    const file = Deno.openSync(path, { read: true, write: true });
    if (!file.tryLockSync(EXCLUSIVE)) {
      file.close();
      return [];
    }
    return [{ file, path, usedAt: file.statSync().mtime?.getTime() ?? 0, ...read(path) }];
  });
  return left.toSorted((one, other) => other.usedAt - one.usedAt);
}

/** What all journals say, those of running servers too; all but one. */
export function readAll(directory: string, except?: string): readonly Replayed[] {
  return journalPaths(directory).filter((path) => path !== except).map(read);
}

/** The journals, one path each. */
function journalPaths(directory: string): readonly string[] {
  return Array.from(Deno.readDirSync(directory), ({ name }) => name).filter((name) => name.endsWith(SUFFIX)).sort()
    .map((name) => `${directory}/${name}`);
}

function read(path: string): Replayed {
  return replay(recordsOf(Deno.readTextFileSync(path)));
}
