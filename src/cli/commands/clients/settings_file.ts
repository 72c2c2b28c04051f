/** One file of settings, in the project or in the user's home: read, and replaced in one step. */
import { messageOf, UserError } from "../../../base/errors.ts";
import { type DirectoryBelow, inDirectory } from "./held_directory.ts";

/** Bytes; a larger file was not written by a person. */
const LARGEST = 4 * 1024 * 1024;

/** Places that names of settings files begin from; `home` undefined: unknown. */
export interface Places {
  readonly project: string;
  readonly home: string | undefined;
}

export class SettingsFile {
  /** As it is shown: relative to the project, or `~/...`. */
  readonly shown: string;
  readonly isInProject: boolean;
  readonly #directory: DirectoryBelow;
  readonly #name: string;

  /** @param file relative to the project, or `~/...` @throws {UserError} where home is unknown */
  constructor(file: string, { project, home }: Places) {
    this.shown = file;
    this.isInProject = !file.startsWith("~/");
    const top = this.isInProject ? project : home;
    if (top === undefined) throw new UserError(`Cannot find "${file}": HOME is not set to a directory`);
    const names = file.replace("~/", "").split("/");
    this.#name = names.at(-1) ?? "";
    this.#directory = { top, below: names.slice(0, -1), followLinks: !this.isInProject };
  }

  /** The text; undefined: there is no such file. @throws {UserError} when it cannot be read */
  read(): string | undefined {
    return inDirectory(this.#directory, { make: false }, () => this.#read()?.text);
  }

  /**
   * Replaces the text in one step, or removes the file. Directories on the way are made.
   *
   * @param expected the text as it was read; undefined: there was no file
   * @param text undefined: the file goes
   * @throws {UserError} when the file has changed since, or the system refuses
   */
  write(expected: string | undefined, text: string | undefined): void {
    inDirectory(this.#directory, { make: text !== undefined }, () => {
      const now = this.#read();
      if (now?.text !== expected) throw new UserError(`"${this.shown}" was changed meanwhile. Run it again`);
      try {
        if (text === undefined) Deno.removeSync(this.#name);
        else this.#replace(text, now);
      } catch (thrown) {
        throw new UserError(`Cannot write "${this.shown}": ${messageOf(thrown)}`, { cause: thrown });
      }
    });
  }

  #read(): Found | undefined {
    try {
      // A home may keep its settings elsewhere, behind a link, and goes on to.
      const path = this.isInProject ? this.#name : Deno.realPathSync(this.#name);
      using file = Deno.openSync(path);
      const [opened, named] = [file.statSync(), Deno.lstatSync(path)];
      if (!named.isFile || named.ino !== opened.ino || named.dev !== opened.dev) {
        throw new UserError(`"${this.shown}" is no file of its own, and a link may lead out of the project. Remove it`);
      }
      if (opened.size > LARGEST) throw new UserError(`"${this.shown}" is larger than ${LARGEST} bytes`);
      const bytes = new Uint8Array(opened.size);
      let length = 0;
      for (let got: number | null = 0; length < bytes.length && got !== null; length += got ?? 0) {
        got = file.readSync(bytes.subarray(length));
      }
      return {
        path,
        text: new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length)),
        mode: opened.mode,
      };
    } catch (thrown) {
      if (thrown instanceof Deno.errors.NotFound) return undefined;
      if (thrown instanceof UserError) throw thrown;
      throw new UserError(`Cannot read "${this.shown}": ${messageOf(thrown)}`, { cause: thrown });
    }
  }

  #replace(text: string, now: Found | undefined): void {
    const path = now?.path ?? this.#name;
    const next = `${path}.${crypto.randomUUID()}`;
    try {
      // Settings in home may hold tokens.
      const mode = this.isInProject ? 0o644 : 0o600;
      Deno.writeTextFileSync(next, text, { createNew: true, mode });
      if (typeof now?.mode === "number") Deno.chmodSync(next, now.mode & 0o777);
      Deno.renameSync(next, path);
    } catch (thrown) {
      removeIfThere(next);
      throw thrown;
    }
  }
}

interface Found {
  /** Where the file itself lies, seen from its directory. */
  readonly path: string;
  readonly text: string;
  readonly mode: number | null;
}

function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
  }
}
