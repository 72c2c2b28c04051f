/** The index of a project: an SQLite database in its own directory, rebuilt when it is damaged. */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { attempt } from "../../base/errors.ts";
import { PATIENCE, SCHEMA_VERSION, SETTINGS, TABLES } from "./schema.ts";

const FILE = "index.sqlite";
/** Endings of SQLite's files next to a database. */
const SIDE_FILES = ["", "-wal", "-shm", "-journal"];
/** The runtime gives the texts of SQLite's errors, not their codes. */
const DAMAGE = /file is not a database|disk image is malformed|corrupt|no such (?:table|column)/;
const BUSY = /database (?:table )?is locked/;
const FULL = /database or disk is full/;

/** A row of an answer. */
export type Row = Readonly<Record<string, unknown>>;

/** An open index. */
export class IndexFile {
  readonly #directory: string;
  readonly #Database: typeof DatabaseSync;
  #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** Raised when it is made again, because nothing that was known of it holds. */
  #generation = 0;

  private constructor(directory: string, Database: typeof DatabaseSync) {
    this.#directory = directory;
    this.#Database = Database;
    this.#database = this.#open();
  }

  /** Opens the index of a directory; it is empty at first. @throws {Error} When it cannot be written. */
  static async open(directory: string): Promise<IndexFile> {
    const { DatabaseSync } = await import("node:sqlite");
    return new IndexFile(directory, DatabaseSync);
  }

  /** Another number: the index is another than before, or another server wrote to it. */
  get version(): string {
    return `${this.#generation} ${this.all("PRAGMA data_version")[0]?.["data_version"]}`;
  }

  /** The rows of an answer. */
  all(statement: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    return this.#prepare(statement).all(...values);
  }

  /** Changes something; the id of the row that was added last. */
  run(statement: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#prepare(statement).run(...values).lastInsertRowid);
  }

  /** Begins a change that other servers see when it is committed. @throws {Error} When another one is at it. */
  begin(): void {
    this.run("BEGIN IMMEDIATE");
  }

  commit(): void {
    this.run("COMMIT");
  }

  /** Undoes what was begun, if there is something. */
  rollBack(): void {
    if (this.#database.isTransaction) this.run("ROLLBACK");
  }

  /** Makes an empty index in place of this one. */
  renew(): void {
    this.close();
    this.#remove();
    this.#generation++;
    this.#database = this.#open();
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #open(): DatabaseSync {
    try {
      return this.#openOnce();
    } catch (thrown) {
      if (!isDamage(thrown)) throw thrown;
      this.#remove();
      return this.#openOnce();
    }
  }

  #openOnce(): DatabaseSync {
    const database = new this.#Database(`${this.#directory}/${FILE}`);
    try {
      database.exec(SETTINGS);
      const version = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
      if (version !== SCHEMA_VERSION && version !== 0) throw new OtherVersion();
      if (version === 0) database.exec(`BEGIN IMMEDIATE; ${TABLES} COMMIT;`);
      database.exec(PATIENCE);
      return database;
    } catch (thrown) {
      database.close();
      throw thrown;
    }
  }

  #remove(): void {
    for (const end of SIDE_FILES) {
      attempt(Deno.errors.NotFound, () => Deno.removeSync(`${this.#directory}/${FILE}${end}`));
    }
  }

  #prepare(statement: string): StatementSync {
    const known = this.#statements.get(statement) ?? this.#database.prepare(statement);
    this.#statements.set(statement, known);
    return known;
  }
}

/** An index of another version of this program. */
class OtherVersion extends Error {}

/** Whether an error means that the index has to be made again. */
export function isDamage(thrown: unknown): boolean {
  return thrown instanceof OtherVersion || says(thrown, DAMAGE);
}

/** Whether another server writes to the index just now. */
export function isBusy(thrown: unknown): boolean {
  return says(thrown, BUSY);
}

/** Whether the index has reached its size, or the disk its own. */
export function isFull(thrown: unknown): boolean {
  return says(thrown, FULL);
}

function says(thrown: unknown, pattern: RegExp): boolean {
  return thrown instanceof Error && pattern.test(thrown.message);
}
