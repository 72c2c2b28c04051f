/** Files that people write, read as texts within limits (T1, Q4): commands may be able to write them, and reading blocks. */
import { type Diagnostic, permanent, transient } from "../../base/diagnostic.ts";
import { messageOf } from "../../base/errors.ts";
import { realPath } from "../paths.ts";
import { withFileOpener } from "./file_opener.ts";
import { type InsideFile, isFileError, readInside } from "./regular_file.ts";

/** Limits for all files of a directory; files beyond them, in the order of their paths, are left out. */
export const MOST_BYTES = 4 * 1024 * 1024;
export const MOST_FILES = 1_000;

/** A kind of file in messages. */
export interface FileKind {
  /** One file: "tool file". */
  readonly name: string;
  /** Maximum size of one file, bytes. */
  readonly largest: number;
  /** The end of the sentence about a link that leads out of the directory. */
  readonly outside: string;
}

/** A kind of file, with its rules and the words of its messages. */
export interface TextKind extends FileKind {
  /** Whether files may be read from a directory with this real path. */
  readonly mayRead: (real: string) => boolean;
  /** The sentence about a directory that may not be read. */
  readonly elsewhere: string;
  /** The sentence that says that `path` and those after it are left out. */
  readonly beyond: (path: string) => string;
}

/** The texts that were read, and the files that could not be. Paths are relative to the directory. */
export interface Texts {
  readonly texts: readonly { readonly path: string; readonly text: string }[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads the files that `list` finds below `directory`. Never throws because of their content. */
export function readTexts(
  directory: string,
  kind: TextKind,
  list: () => { readonly paths: readonly string[]; readonly diagnostics: readonly Diagnostic[] },
): Texts {
  const isElsewhere = () => {
    const real = realPath(directory);
    return real !== undefined && !kind.mayRead(real);
  };
  const refused: Texts = { texts: [], diagnostics: [permanent(directory, kind.elsewhere)] };
  if (isElsewhere()) return refused;
  const { paths, diagnostics } = list();
  const read = readAll(directory, paths, kind);
  // Commands may be able to exchange the directory while it is read.
  return isElsewhere() ? refused : { ...read, diagnostics: [...diagnostics, ...read.diagnostics] };
}

function readAll(directory: string, paths: readonly string[], kind: TextKind): Texts {
  const texts: Texts["texts"][number][] = [];
  const diagnostics: Diagnostic[] = [];
  let left = MOST_BYTES;
  withFileOpener((opener) => {
    for (const [index, path] of paths.entries()) {
      const file = `${directory}/${path}`;
      const largest = Math.min(left, kind.largest);
      const text = index < MOST_FILES && textOf(file, kind, () => readInside(directory, file, largest, opener));
      if (text === false) {
        diagnostics.push(permanent(directory, kind.beyond(path)));
        return;
      }
      if (typeof text !== "string") diagnostics.push(text);
      else {
        texts.push({ path, text });
        left -= text.length;
      }
    }
  });
  return { texts, diagnostics };
}

/** The result of `read` as text, or why it cannot be read; false: it exceeds the bytes that `read` allowed. */
export function textOf(file: string, kind: FileKind, read: () => InsideFile): string | Diagnostic | false {
  const bytes = bytesOf(file, kind, read);
  if (!(bytes instanceof Uint8Array)) return bytes;
  try {
    // A byte order mark is kept; the caller removes it.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    return permanent(file, `Cannot read ${kind.name}: it is not UTF-8: save it as UTF-8`);
  }
}

/** The same as bytes. */
export function bytesOf(
  file: string,
  { name, largest, outside }: FileKind,
  read: () => InsideFile,
): Uint8Array<ArrayBuffer> | Diagnostic | false {
  const cannot = (why: string) => `Cannot read ${name}: ${why}`;
  try {
    const found = read();
    switch (found.kind) {
      case "read":
        return found.bytes;
      case "outside":
        return permanent(file, cannot(`it is a link that leads out of ${outside}`));
      case "exchanged":
        return transient(file, cannot("it was exchanged while it was read: save it once more"));
      case "not_regular":
        return permanent(file, cannot("it is not a regular file: replace it"));
      case "too_large":
        return found.size > largest &&
          permanent(file, cannot(`it has ${found.size} bytes, at most ${largest} are read`));
    }
  } catch (thrown) {
    if (isFileError(thrown)) return transient(file, cannot(`${messageOf(thrown)}: make it readable`));
    throw thrown;
  }
}
