/** A directory of notes, opened by its descriptor. No link is followed to it, in it or out of it. */
import { isUtf8 } from "node:buffer";
import { attempt, messageOf, UserError } from "../../../base/errors.ts";
import { encodeText } from "../../../base/text.ts";
import { isSameFile, type OpenFiles } from "../../../system/open_files/file_calls.ts";
import type { Project } from "../../project/project.ts";

/** A larger file is not read, bytes. */
const LARGEST_NOTE = 1024 * 1024;

const PERMISSIONS = 0o777;
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** What was read of a file. */
export interface NoteContent {
  /** Undefined: it was not read, and `problem` says why. */
  readonly text: string | undefined;
  /** Why it is never rewritten; undefined: it may be. */
  readonly problem: string | undefined;
}

export class NoteFolder implements Disposable {
  readonly #files: OpenFiles;
  readonly #fd: number;
  /** Relative to the project. */
  readonly path: string;

  private constructor(files: OpenFiles, fd: number, path: string) {
    this.#files = files;
    this.#fd = fd;
    this.path = path;
  }

  /** Opens it; undefined: it is not there. @throws {UserError} When something else is at the path. */
  static open(project: Project, path: string): NoteFolder | undefined {
    if (Deno.build.os !== "linux") throw new UserError("Cannot open notes: native tools for them need Linux");
    const files = project.begin();
    const root = project.directory;
    const fd = project.directoryOf(files, { path: `${root}/${path}/note`, shown: path, root });
    if (fd !== undefined) return new NoteFolder(files, fd, path);
    files[Symbol.dispose]();
    const link = firstThatIsNoDirectory(root, path);
    if (link === undefined) return undefined;
    throw new UserError(`Cannot use "${path}": "${link}" is not a directory; links to notes are not followed`);
  }

  /** Opens a directory below the project, and makes it if need be. @throws {UserError} When that fails. */
  static make(project: Project, path: string): NoteFolder {
    const names = path.split("/");
    for (let count = 1; count <= names.length; count++) {
      const [above, name = ""] = [names.slice(0, count - 1).join("/") || ".", names[count - 1]];
      inFolder(project, above, (parent) => parent.makeDirectory(name));
    }
    const made = NoteFolder.open(project, path);
    if (made === undefined) throw new UserError(`Cannot make "${path}": it is removed again at once`);
    return made;
  }

  get #place(): string {
    return `/proc/self/fd/${this.#fd}`;
  }

  /** Creates a directory if it is missing. @throws {UserError} When it cannot be made. */
  makeDirectory(name: string): void {
    this.#try(
      `make "${this.#shown(name)}"`,
      () => attempt(Deno.errors.AlreadyExists, () => Deno.mkdirSync(`${this.#place}/${name}`)),
    );
  }

  /** Names of all entries, sorted. */
  names(): readonly string[] {
    return [...Deno.readDirSync(this.#place)].map(({ name }) => name).sort();
  }

  /** Names of the directories in it, links not followed, sorted. */
  directories(): readonly string[] {
    return [...Deno.readDirSync(this.#place)].flatMap(({ name, isDirectory }) => isDirectory ? [name] : []).sort();
  }

  read(name: string): NoteContent | undefined {
    const found = this.#files.stat(this.#fd, name);
    if (found === undefined) return undefined;
    if (found.kind !== "file") {
      return unread("it is not a regular file, and links are not followed");
    }
    return this.#files.with(this.#files.open(this.#fd, name), (fd): NoteContent => {
      const stat = this.#files.stat(fd, "");
      if (!isSameFile(stat, found) || stat === undefined) return unread("it changes while it is opened");
      if (stat.size > LARGEST_NOTE) return unread(`it is larger than ${LARGEST_NOTE} bytes`);
      const bytes = this.#files.read(fd, stat.size);
      if (bytes === undefined) return unread("it changes while it is read");
      // What is shown in place of the other bytes must not be written over them.
      return { text: DECODER.decode(bytes), problem: isUtf8(bytes) ? undefined : "it is not UTF-8 text" };
    }) ?? unread("it cannot be opened");
  }

  /** When the file was written to, milliseconds since 1970; 0: it is gone. */
  writtenAt(name: string): number {
    const [, , seconds = 0n, nanoseconds = 0n] = this.#files.stat(this.#fd, name)?.times ?? [];
    return Number(seconds) * 1000 + Number(nanoseconds) / 1e6;
  }

  /** Creates a file; false: the name is taken. @throws {UserError} When it cannot be written. */
  create(name: string, text: string): boolean {
    const create = () => {
      this.#write(name, text, 0o666);
      return true;
    };
    return this.#try(`write "${this.#shown(name)}"`, () => attempt(Deno.errors.AlreadyExists, create) ?? false);
  }

  /** Replaces a file atomically; false: it is not `before` any more. @throws {UserError} When that fails. */
  replace(name: string, { before, after }: { readonly before: string; readonly after: string }): boolean {
    const temporary = `.${crypto.randomUUID()}.tmp`;
    return this.#try(`write "${this.#shown(name)}"`, () => {
      const mode = this.#files.stat(this.#fd, name)?.mode ?? 0o666;
      try {
        this.#write(temporary, after, mode & PERMISSIONS);
        const now = this.read(name);
        if (now?.text !== before) return false;
        Deno.renameSync(`${this.#place}/${temporary}`, `${this.#place}/${name}`);
        return true;
      } finally {
        this.#files.unlink(this.#fd, temporary);
      }
    });
  }

  /** Removes a file. */
  remove(name: string): void {
    this.#try(`remove "${this.#shown(name)}"`, () => Deno.removeSync(`${this.#place}/${name}`));
  }

  /** Opens a lock file and creates it if it is missing; the caller closes it. */
  lockFile(name: string): Deno.FsFile {
    this.create(name, "");
    const fd = this.#files.open(this.#fd, name);
    const stat = fd === undefined ? undefined : this.#files.stat(fd, "");
    if (fd === undefined || stat === undefined || stat.kind !== "file") {
      throw new UserError(`Cannot use "${this.#shown(name)}": it is not a regular file; remove it`);
    }
    return Deno.openSync(`/proc/self/fd/${fd}`);
  }

  [Symbol.dispose](): void {
    this.#files[Symbol.dispose]();
  }

  #shown(name: string): string {
    return this.path === "." ? name : `${this.path}/${name}`;
  }

  #write(name: string, text: string, mode: number): void {
    const file = Deno.openSync(`${this.#place}/${name}`, { write: true, createNew: true, mode });
    try {
      const bytes = encodeText(text);
      for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
      file.syncDataSync();
    } catch (thrown) {
      this.#files.unlink(this.#fd, name);
      throw thrown;
    } finally {
      file.close();
    }
  }

  #try<Value>(what: string, work: () => Value): Value {
    try {
      return work();
    } catch (thrown) {
      if (thrown instanceof UserError) throw thrown;
      const isReadOnly = thrown instanceof Deno.errors.PermissionDenied || /os error 30/.test(messageOf(thrown));
      const why = isReadOnly
        ? `the sandbox or its permissions keep "${this.path}" read-only. Where that is ".ahma" as a whole, the server ` +
          'makes "issues", "memos" and "state" in it when it starts'
        : messageOf(thrown).replaceAll(/\/proc\/self\/fd\/\d+\//g, "");
      throw new UserError(`Cannot ${what}: ${why}`);
    }
  }
}

function unread(problem: string): NoteContent {
  return { text: undefined, problem };
}

/** Calls `work` with a directory below the project; undefined: it is missing. @throws {UserError} As `open`. */
export function inFolder<Value>(
  project: Project,
  path: string,
  work: (folder: NoteFolder) => Value,
): Value | undefined {
  using folder = NoteFolder.open(project, path);
  return folder && work(folder);
}

/** The same, but creates a missing directory. @throws {UserError} As `make`. */
export function inMadeFolder<Value>(project: Project, path: string, work: (folder: NoteFolder) => Value): Value {
  const folder = NoteFolder.make(project, path);
  try {
    return work(folder);
  } finally {
    folder[Symbol.dispose]();
  }
}

/** The first part of the path that exists and is not a directory. */
function firstThatIsNoDirectory(root: string, path: string): string | undefined {
  const names = path.split("/");
  for (let count = 1; count <= names.length; count++) {
    const below = names.slice(0, count).join("/");
    const found = attempt(Deno.errors.NotFound, () => Deno.lstatSync(`${root}/${below}`));
    if (found?.isDirectory !== true) return found && below;
  }
  return undefined;
}
