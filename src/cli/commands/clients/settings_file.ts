/** One file of settings, in the project or in the user's home: read, and replaced in one step. */
import { messageOf, UserError } from "../../../base/errors.ts";
import { encodeText } from "../../../base/text.ts";

/** Bytes; a larger file was not written by a person. */
const LARGEST = 1024 * 1024;

/** Places that names of settings files begin from; `home` undefined: unknown. */
export interface Places {
  readonly project: string;
  readonly home: string | undefined;
}

type Fs = typeof import("node:fs");

/** Loaded when it is needed: at every start it would cost memory. Of the runtime's own calls none opens without a wait. */
async function files(): Promise<Fs> {
  return await import("node:fs");
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
  async read(): Promise<string | undefined> {
    const fs = await files();
    return inDirectory(this.#directory, { make: false }, () => this.#read(fs)?.text);
  }

  /**
   * Replaces the text in one step, or removes the file. Directories on the way are made.
   *
   * @param expected the text as it was read; undefined: there was no file
   * @param text undefined: the file is removed
   * @throws {UserError} when the file has changed since, another program puts its own in the place, or the system refuses
   */
  async write(expected: string | undefined, text: string | undefined): Promise<void> {
    const fs = await files();
    inDirectory(this.#directory, { make: text !== undefined }, () => {
      const now = this.#read(fs);
      if (now?.text !== expected) throw new UserError(this.#isChanged());
      if (now !== undefined && (now.mode & 0o200) === 0) throw new UserError(`"${this.shown}" is read-only`);
      try {
        if (text === undefined) fs.unlinkSync(this.#name);
        else this.#replace(fs, text, now);
      } catch (thrown) {
        if (thrown instanceof UserError) throw thrown;
        throw new UserError(`Cannot write "${this.shown}": ${messageOf(thrown)}`, { cause: thrown });
      }
    });
  }

  #read(fs: Fs): Found | undefined {
    let file: number | undefined;
    try {
      // Settings that a home keeps elsewhere, behind a link, stay there.
      const path = this.isInProject ? this.#name : fs.realpathSync(this.#name);
      // Without every permission the runtime follows links before it opens, whatever the flags say.
      const there = fs.lstatSync(path);
      if (there.isSymbolicLink()) throw new UserError(this.#isLink());
      const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
      file = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      const facts = fs.fstatSync(file);
      if (facts.ino !== there.ino || facts.dev !== there.dev) throw new UserError(this.#isChanged());
      if (!facts.isFile()) throw new UserError(`"${this.shown}" is not a regular file. Remove it`);
      if (facts.size > LARGEST) throw new UserError(`"${this.shown}" is larger than ${LARGEST} bytes`);
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(fs.readFileSync(file));
      return { path, text, mode: facts.mode };
    } catch (thrown) {
      if (codeOf(thrown) === "ENOENT") return undefined;
      if (codeOf(thrown) === "ELOOP") throw new UserError(this.#isLink());
      if (thrown instanceof UserError) throw thrown;
      throw new UserError(`Cannot read "${this.shown}": ${messageOf(thrown)}`, { cause: thrown });
    } finally {
      if (file !== undefined) fs.closeSync(file);
    }
  }

  #isLink(): string {
    return `"${this.shown}" is a link, which may lead out of the project. Remove it`;
  }

  #isChanged(): string {
    return `"${this.shown}" was changed by another program. Run the command again`;
  }

  /** Commands may move files in the project at the same time: the final file is compared by its descriptor. */
  #replace(fs: Fs, text: string, now: Found | undefined): void {
    const path = now?.path ?? this.#name;
    const next = `${path}.${crypto.randomUUID()}`;
    const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;
    // Settings in home may hold tokens.
    const file = fs.openSync(next, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, this.isInProject ? 0o644 : 0o600);
    const own = fs.fstatSync(file);
    const isAt = (name: string) => {
      const there = fs.lstatSync(name, { throwIfNoEntry: false });
      return there?.ino === own.ino && there.dev === own.dev;
    };
    try {
      fs.writeFileSync(file, text);
      if (now !== undefined) fs.fchmodSync(file, now.mode & 0o777);
      fs.fsyncSync(file);
      if (isAt(next)) fs.renameSync(next, path);
      const placed = new Uint8Array(own.size + encodeText(text).length + 1);
      const length = fs.readSync(file, placed, 0, placed.length, 0);
      if (isAt(path) && DECODER.decode(placed.subarray(0, length)) === text) return;
      throw new UserError(
        `Another program changed "${this.shown}" while it was written: check it before a client starts, and run this again`,
      );
    } finally {
      if (isAt(next)) fs.unlinkSync(next);
      fs.closeSync(file);
    }
  }
}

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

interface Found {
  /** The path of the file itself, relative to its directory. */
  readonly path: string;
  readonly text: string;
  readonly mode: number;
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}

/** A directory below another. */
interface DirectoryBelow {
  /** Canonical, and the user's own choice: the project, or home. */
  readonly top: string;
  /** Names on the way down. */
  readonly below: readonly string[];
  /** Whether links on the way are followed: those of the user's home are the user's, those of a project anyone's. */
  readonly followLinks: boolean;
}

/**
 * The result of `work`, done in the directory; undefined where it is missing and `make` is false. The process stands in the
 * directory meanwhile, so that it stays the same while commands exchange directories and links.
 *
 * @throws {UserError} where a link or a file stands in the way, or the system refuses
 */
function inDirectory<Result>(
  { top, below, followLinks }: DirectoryBelow,
  { make }: { readonly make: boolean },
  work: () => Result,
): Result | undefined {
  const before = Deno.cwd();
  try {
    Deno.chdir(top);
    for (const name of below) if (!enter(name, { make, followLinks })) return undefined;
    return work();
  } finally {
    Deno.chdir(before);
  }
}

function enter(
  name: string,
  { make, followLinks }: { readonly make: boolean; readonly followLinks: boolean },
): boolean {
  const expected = `${Deno.realPathSync(".")}/${name}`.replace("//", "/");
  try {
    Deno.chdir(name);
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) {
      if (!make) return false;
      makeIn(name, expected);
      return enter(name, { make: false, followLinks });
    }
    throw new UserError(`Cannot enter "${expected}": ${messageOf(thrown)}`, { cause: thrown });
  }
  if (followLinks || Deno.realPathSync(".") === expected) return true;
  throw new UserError(
    `"${expected}" is a link, which may lead out of the project. Remove it, or write the file by hand`,
  );
}

function makeIn(name: string, path: string): void {
  try {
    Deno.mkdirSync(name);
  } catch (thrown) {
    throw new UserError(`Cannot make "${path}": ${messageOf(thrown)}`, { cause: thrown });
  }
}
