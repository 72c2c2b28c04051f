/**
 * The logins of a user: a private file (0600) for each server, in a private directory (0700) that commands can neither
 * read nor write. A file is replaced whole, so a reader sees the old login or the new one.
 */
import { messageOf, undefinedFor, UserError } from "../../../base/errors.ts";
import { encodeText } from "../../../base/text.ts";
import type { Logger } from "../../../base/log.ts";
import { writePrivately } from "../../../system/replace/private_file.ts";
import { type Done, underLock } from "./file_lock.ts";
import { readStored, type StoredLogin, storedText } from "./stored_login.ts";

/** Digits of the address's digest in a file's name. */
const DIGITS = 12;

/** One file, as it was read. */
export interface ReadLogin {
  readonly login: StoredLogin;
  /** Differs for each version of the file. */
  readonly stamp: string;
}

export class LoginFiles {
  readonly #directory: string;
  readonly #log: Logger;

  /** `directory`: made with the first login. */
  constructor(directory: string, log: Logger) {
    this.#directory = directory;
    this.#log = log;
  }

  /** The login to a server; undefined: there is none. @throws {UserError} when the files are not private */
  async read(serverUrl: string): Promise<ReadLogin | undefined> {
    if (!await this.#isThere()) return undefined;
    return await this.#readFile(await this.#path(serverUrl));
  }

  /** Names the version of the file, without reading it; undefined: there is none. */
  async stamp(serverUrl: string): Promise<string | undefined> {
    const path = await this.#path(serverUrl);
    return await ifThere(async () => stampOf(await Deno.lstat(path)));
  }

  /** Every login there is, by address. @throws {UserError} when the files are not private */
  async list(): Promise<readonly StoredLogin[]> {
    if (!await this.#isThere()) return [];
    const logins: StoredLogin[] = [];
    for await (const { name } of Deno.readDir(this.#directory)) {
      const read = name.endsWith(".json") ? await this.#readFile(`${this.#directory}/${name}`) : undefined;
      if (read !== undefined) logins.push(read.login);
    }
    return logins.toSorted((a, b) => a.serverUrl < b.serverUrl ? -1 : 1);
  }

  /** Replaces the file of the login's server. @throws {UserError} when it cannot be kept private */
  async write(login: Omit<StoredLogin, "version">): Promise<void> {
    await this.#make();
    const path = await this.#path(login.serverUrl);
    try {
      await writePrivately(path, storedText(login), { isSynced: true });
    } catch (thrown) {
      throw new UserError(`Cannot keep the login in "${path}": ${messageOf(thrown)}`, { cause: thrown });
    }
  }

  /** Removes the file; false: there was none. */
  async remove(serverUrl: string): Promise<boolean> {
    const path = await this.#path(serverUrl);
    return await ifThere(async () => {
      await Deno.remove(path);
      return true;
    }) ?? false;
  }

  /** Does what changes a login while no other process does; undefined: another one was at it for `waitMs`. */
  async underLock<Value>(serverUrl: string, waitMs: number, work: () => Promise<Value>): Promise<Done<Value>> {
    await this.#make();
    return await underLock(`${await this.#path(serverUrl)}.lock`, waitMs, work);
  }

  /** The same for logins that talk to a person: one at a time on this machine. */
  async underLoginLock<Value>(waitMs: number, work: () => Promise<Value>): Promise<Done<Value>> {
    await this.#make();
    return await underLock(`${this.#directory}/login.lock`, waitMs, work);
  }

  async #path(serverUrl: string): Promise<string> {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", encodeText(serverUrl)));
    const host = new URL(serverUrl).hostname.replaceAll(/[^a-z0-9.-]/g, "_");
    return `${this.#directory}/${host}-${digest.toHex().slice(0, DIGITS)}.json`;
  }

  async #make(): Promise<void> {
    try {
      await Deno.mkdir(this.#directory, { recursive: true, mode: 0o700 });
    } catch (thrown) {
      throw new UserError(`Cannot make the directory of logins "${this.#directory}": ${messageOf(thrown)}`, {
        cause: thrown,
      });
    }
    await this.#isThere();
  }

  /** False: there is no directory yet. @throws {UserError} when another user could look into it */
  async #isThere(): Promise<boolean> {
    const found = await ifThere(() => Deno.lstat(this.#directory));
    if (found === undefined) return false;
    if (found.isDirectory && isPrivate(found)) return true;
    throw new UserError(
      `Cannot use the directory of logins "${this.#directory}": it must be a directory of yours, no link, that no other ` +
        "user can enter. Set its mode to 0700",
    );
  }

  async #readFile(path: string): Promise<ReadLogin | undefined> {
    return await ifThere(async () => {
      const found = await Deno.lstat(path);
      if (!found.isFile || !isPrivate(found)) {
        throw new UserError(
          `Cannot use the login in "${path}": it must be a file of yours that no other user can read. Set its mode to 0600`,
        );
      }
      const read = readStored(await Deno.readTextFile(path));
      if (read.ok) return { login: read.value, stamp: stampOf(found) };
      await this.#setAside(path, read.problem);
      return undefined;
    });
  }

  /** Keeps a file that is of no use, under a name that nothing reads. */
  async #setAside(path: string, problem: string): Promise<void> {
    await Deno.rename(path, `${path}.damaged`);
    this.#log.warn(`Login set aside as "${path}.damaged": ${problem}`);
  }
}

function isPrivate({ uid, mode }: Deno.FileInfo): boolean {
  return uid === Deno.uid() && ((mode ?? 0) & 0o077) === 0;
}

/** Another file has another inode, and the same file another time. */
function stampOf({ ino, mtime, size }: Deno.FileInfo): string {
  return `${ino} ${mtime?.getTime()} ${size}`;
}

/** The value; undefined where a file is missing. */
async function ifThere<Value>(look: () => Promise<Value>): Promise<Value | undefined> {
  return await look().catch(undefinedFor(Deno.errors.NotFound));
}
