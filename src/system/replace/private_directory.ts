/** A private directory (0700) with private files (0600) that are replaced atomically. */
import { attempt, messageOf, UserError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { type Done, underLock } from "./file_lock.ts";
import { isPrivate, writePrivately } from "./private_file.ts";

export interface PrivateDirectoryOptions {
  /** Created with the first file. */
  readonly path: string;
  /** Words for messages: the content of one file (`the login`) and of all (`logins`). */
  readonly one: string;
  readonly all: string;
  /** Maximum size of a file, bytes; a larger one was written by another program. Absent: unlimited. */
  readonly largest?: number;
  readonly log: Logger;
}

/** One file, as it was read. */
export interface PrivateText {
  readonly text: string;
  /** Differs for each version of the file. */
  readonly stamp: string;
}

export class PrivateDirectory {
  readonly #options: PrivateDirectoryOptions;

  constructor(options: PrivateDirectoryOptions) {
    this.#options = options;
  }

  /** The file's path. */
  pathOf(name: string): string {
    return `${this.#options.path}/${name}`;
  }

  /** Names of all files; empty: there is no directory yet. @throws {UserError} When it is not private. */
  names(): readonly string[] {
    return this.#isThere() ? Array.from(Deno.readDirSync(this.#options.path), ({ name }) => name) : [];
  }

  /** Undefined: no such file. @throws {UserError} When directory or file are not private, or too large. */
  read(name: string): PrivateText | undefined {
    const { one, largest = Infinity } = this.#options;
    const path = this.pathOf(name);
    const refuse = (why: string) => new UserError(`Cannot use ${one} in "${path}": ${why}`);
    if (!this.#isThere()) return undefined;
    return ifThere(() => {
      const found = Deno.lstatSync(path);
      if (!found.isFile || !isPrivate(found)) {
        throw refuse("it must be a file of yours that no other user can read. Set its mode to 0600");
      }
      if (found.size > largest) throw refuse(`it has ${found.size} bytes, and at most ${largest} are read`);
      return { text: Deno.readTextFileSync(path), stamp: stampOf(found) };
    });
  }

  /** The stamp of a file, without reading it; undefined: there is no file. */
  stamp(name: string): string | undefined {
    return ifThere(() => stampOf(Deno.lstatSync(this.pathOf(name))));
  }

  /** Replaces a file and waits until the text is on the disk. @throws {UserError} When it cannot be kept private. */
  async write(name: string, text: string): Promise<void> {
    await this.#make();
    const path = this.pathOf(name);
    try {
      await writePrivately(path, text, { isSynced: true });
    } catch (thrown) {
      throw new UserError(`Cannot keep ${this.#options.one} in "${path}": ${messageOf(thrown)}`, { cause: thrown });
    }
  }

  /** Removes the file; false: there was none. */
  remove(name: string): boolean {
    return ifThere(() => {
      Deno.removeSync(this.pathOf(name));
      return true;
    }) ?? false;
  }

  /** Renames a damaged file to a name that is never read. */
  async setAside(name: string, problem: string): Promise<void> {
    const path = this.pathOf(name);
    await Deno.rename(path, `${path}.damaged`);
    this.#options.log.warn(`Set ${this.#options.one} aside as "${path}.damaged": ${problem}`);
  }

  /** Does work under the lock of that name; undefined: another process held it for `waitMs` milliseconds. */
  async underLock<Value>(name: string, waitMs: number, work: () => Promise<Value>): Promise<Done<Value>> {
    await this.#make();
    return await underLock(this.pathOf(`${name}.lock`), waitMs, work);
  }

  async #make(): Promise<void> {
    const { path, all } = this.#options;
    try {
      await Deno.mkdir(path, { recursive: true, mode: 0o700 });
    } catch (thrown) {
      throw new UserError(`Cannot make the directory of ${all} "${path}": ${messageOf(thrown)}`, { cause: thrown });
    }
    this.#isThere();
  }

  /** False: there is no directory yet. @throws {UserError} When another user could look into it. */
  #isThere(): boolean {
    const { path, all } = this.#options;
    const found = ifThere(() => Deno.lstatSync(path));
    if (found === undefined) return false;
    if (found.isDirectory && isPrivate(found)) return true;
    throw new UserError(
      `Cannot use the directory of ${all} "${path}": it must be a directory of yours, no link, that no other ` +
        "user can enter. Set its mode to 0700",
    );
  }
}

/** A replaced file has another inode, a changed file another time. */
/** Another one for other content, another owner and other rights. */
function stampOf({ ino, mtime, ctime, size, uid, mode }: Deno.FileInfo): string {
  return [ino, mtime?.getTime(), ctime?.getTime(), size, uid, mode].join(" ");
}

/** The value; undefined where a file is missing. */
function ifThere<Value>(look: () => Value): Value | undefined {
  return attempt(Deno.errors.NotFound, look);
}
