/** The logins of a user: a private file for each server, in a directory that commands can neither read nor write. */
import { encodeText } from "../../../base/text.ts";
import type { Logger } from "../../../base/log.ts";
import type { Done } from "../../../system/replace/file_lock.ts";
import { PrivateDirectory } from "../../../system/replace/private_directory.ts";
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
  readonly #files: PrivateDirectory;

  /** `directory`: made with the first login. */
  constructor(directory: string, log: Logger) {
    this.#files = new PrivateDirectory({ path: directory, one: "the login", all: "logins", log });
  }

  /** The login to a server; undefined: there is none. @throws {UserError} when the files are not private */
  async read(serverUrl: string): Promise<ReadLogin | undefined> {
    return await this.#readFile(await nameOf(serverUrl));
  }

  /** Names the version of the file, without reading it; undefined: there is none. */
  async stamp(serverUrl: string): Promise<string | undefined> {
    return this.#files.stamp(await nameOf(serverUrl));
  }

  /** Every login there is, by address. @throws {UserError} when the files are not private */
  async list(): Promise<readonly StoredLogin[]> {
    const logins: StoredLogin[] = [];
    for (const name of this.#files.names()) {
      const read = name.endsWith(".json") ? await this.#readFile(name) : undefined;
      if (read !== undefined) logins.push(read.login);
    }
    return logins.toSorted((a, b) => a.serverUrl < b.serverUrl ? -1 : 1);
  }

  /** Replaces the file of the login's server. @throws {UserError} when it cannot be kept private */
  async write(login: Omit<StoredLogin, "version">): Promise<void> {
    await this.#files.write(await nameOf(login.serverUrl), storedText(login));
  }

  /** Removes the file; false: there was none. */
  async remove(serverUrl: string): Promise<boolean> {
    return this.#files.remove(await nameOf(serverUrl));
  }

  /** Changes a login while no other process does; undefined: another was still busy after `waitMs`. */
  async underLock<Value>(serverUrl: string, waitMs: number, work: () => Promise<Value>): Promise<Done<Value>> {
    return await this.#files.underLock(await nameOf(serverUrl), waitMs, work);
  }

  /** The same for logins that talk to a person: one at a time on this machine. */
  async underLoginLock<Value>(waitMs: number, work: () => Promise<Value>): Promise<Done<Value>> {
    return await this.#files.underLock("login", waitMs, work);
  }

  async #readFile(name: string): Promise<ReadLogin | undefined> {
    const found = this.#files.read(name);
    if (found === undefined) return undefined;
    const read = readStored(found.text);
    if (read.ok) return { login: read.value, stamp: found.stamp };
    await this.#files.setAside(name, read.problem);
    return undefined;
  }
}

async function nameOf(serverUrl: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", encodeText(serverUrl)));
  const host = new URL(serverUrl).hostname.replaceAll(/[^a-z0-9.-]/g, "_");
  return `${host}-${digest.toHex().slice(0, DIGITS)}.json`;
}
