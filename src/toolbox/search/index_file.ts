/** The index of a project: an SQLite database, which is rebuilt if it is damaged. */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { attempt } from "../../base/errors.ts";
import { PATIENCE, SCHEMA_VERSION, SETTINGS, TABLES } from "./schema.ts";

const FILE = "index.sqlite";
/** Endings of SQLite's files next to a database. */
const SIDE_FILES = ["", "-wal", "-shm", "-journal"];
/** Matches messages, because the runtime does not give SQLite's error codes. */
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
  /** Increases at each rebuild, which invalidates everything known about the index. */
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

  /** Changes when the index was rebuilt or another server wrote to it. */
  get version(): string {
    return `${this.#generation} ${this.all("PRAGMA data_version")[0]?.["data_version"]}`;
  }

  /** The rows of a query. */
  all(statement: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    return this.#prepare(statement).all(...values);
  }

  /** Executes a change and returns the id of the last added row. */
  run(statement: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#prepare(statement).run(...values).lastInsertRowid);
  }

  /** Begins a transaction. @throws {Error} When another server is writing. */
  begin(): void {
    this.run("BEGIN IMMEDIATE");
  }

  commit(): void {
    this.run("COMMIT");
  }

  /** Rolls back an open transaction, if there is one. */
  rollBack(): void {
    if (this.#database.isTransaction) this.run("ROLLBACK");
  }

  /** Replaces this index by an empty one. */
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

/** Whether an error means that the index must be rebuilt. */
export function isDamage(thrown: unknown): boolean {
  return thrown instanceof OtherVersion || says(thrown, DAMAGE);
}

/** Whether another server is writing to the index. */
export function isBusy(thrown: unknown): boolean {
  return says(thrown, BUSY);
}

/** Whether the index has reached its maximum size, or the disk is full. */
export function isFull(thrown: unknown): boolean {
  return says(thrown, FULL);
}

function says(thrown: unknown, pattern: RegExp): boolean {
  return thrown instanceof Error && pattern.test(thrown.message);
}
