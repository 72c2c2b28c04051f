/**
 * The prompt files of a directory and its folders as text, with limits on what is read (Q1, Q4). Links to other folders
 * are not followed, and a link to a file only where it stays inside.
 */
import { type Diagnostic, permanent, transient } from "../../base/diagnostic.ts";
import { messageOf } from "../../base/errors.ts";
import { compareText } from "../../base/text.ts";
import { isExpected, realPath } from "../../system/paths.ts";
import { type FileOpener, withFileOpener } from "../../system/reading/file_opener.ts";
import { isFileError, readInside } from "../../system/reading/regular_file.ts";
import type { PromptOrigin } from "../format/prompt.ts";
import { promptNameOf } from "../format/prompt_name.ts";
import type { PromptText } from "../format/read_prompt.ts";

/** A prompt is written by hand; parsing a longer one would block the server. */
const LARGEST_FILE_BYTES = 100 * 1024;
/** Limits of all files of a directory, which a command may be able to write. */
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_FILES = 1_000;
/** Folders in a directory, and how deep they lie. */
const MOST_FOLDERS = 200;
const DEEPEST = 8;
/** Entries of all folders together: looking at them blocks the server. */
const MOST_ENTRIES = 10_000;

/** One directory of prompts. */
export interface PromptDirectory {
  readonly origin: PromptOrigin;
  /** Absolute; it need not exist. */
  readonly path: string;
  /** Whether files may be read from a directory with this real path. */
  readonly mayRead: (real: string) => boolean;
}

/** What was read, and what could not be. */
export interface ReadPrompts {
  readonly texts: readonly PromptText[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Every template below a directory, by path. A directory that is missing holds nothing. Never throws for what is there. */
export function readPrompts({ origin, path, mayRead }: PromptDirectory): ReadPrompts {
  const real = realPath(path);
  if (real === undefined) return { texts: [], diagnostics: [] };
  if (!mayRead(real)) return { texts: [], diagnostics: [leadsOut(path)] };
  const read = withFileOpener((opener) => readFiles(path, origin, opener));
  // Commands may be able to exchange the directory while it is read.
  const after = realPath(path);
  return after === undefined || mayRead(after) ? read : { texts: [], diagnostics: [leadsOut(path)] };
}

/** The folders below a directory, without links; none where it cannot be read. */
export function foldersBelow(directory: string): readonly string[] {
  return walk(directory).folders.slice(1);
}

function readFiles(directory: string, origin: PromptOrigin, opener: FileOpener): ReadPrompts {
  const { files, diagnostics: found, whole } = walk(directory);
  const texts: PromptText[] = [];
  const diagnostics = [...found];
  if (!whole) diagnostics.push(permanent(directory, `Cannot read all prompts: ${TOO_MANY}`));
  let left = MOST_BYTES;
  for (const [index, path] of files.entries()) {
    const read = index < MOST_FILES && left > 0
      ? readOne(`${directory}/${path}`, { directory, path, origin, opener })
      : undefined;
    if (read === undefined) {
      diagnostics.push(permanent(directory, `Cannot read prompts beyond "${path}": ${TOO_MANY}`));
      break;
    }
    if ("severity" in read) diagnostics.push(read);
    else {
      texts.push(read);
      left -= read.text.length;
    }
  }
  return { texts, diagnostics };
}

const TOO_MANY =
  `at most ${MOST_FILES} files of ${MOST_BYTES} bytes, in ${MOST_FOLDERS} folders with ${MOST_ENTRIES} ` +
  "entries, are read: remove some";

interface Walked {
  /** Paths of templates below the directory, in order. */
  readonly files: readonly string[];
  /** The directory and those below it, absolute. */
  readonly folders: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  /** False: something was left out for its number. */
  readonly whole: boolean;
}

function walk(directory: string): Walked {
  const files: string[] = [];
  const diagnostics: Diagnostic[] = [];
  const folders: string[] = [""];
  let whole = true;
  let left = MOST_ENTRIES;
  for (const folder of folders) {
    const entries = entriesOf(`${directory}/${folder}`.slice(0, -1), left, diagnostics);
    left -= entries.length;
    if (left === 0) whole = false;
    for (const { name, isDirectory } of entries) {
      const path = `${folder}${name}`;
      if (!isDirectory) {
        if (promptNameOf(path) !== undefined) files.push(path);
      } else if (folders.length > MOST_FOLDERS || path.split("/").length > DEEPEST) whole = false;
      else folders.push(`${path}/`);
    }
  }
  return {
    files: files.sort(compareText),
    folders: folders.map((folder) => `${directory}/${folder}`.slice(0, -1)),
    diagnostics,
    whole,
  };
}

function entriesOf(place: string, most: number, diagnostics: Diagnostic[]): readonly Deno.DirEntry[] {
  try {
    return Deno.readDirSync(place).take(most).toArray();
  } catch (thrown) {
    if (!isExpected(thrown)) throw thrown;
    if (!(thrown instanceof Deno.errors.NotFound)) {
      diagnostics.push(transient(place, `Cannot read prompts: ${messageOf(thrown)}: make the directory readable`));
    }
    return [];
  }
}

interface PromptPlace {
  readonly directory: string;
  readonly path: string;
  readonly origin: PromptOrigin;
  readonly opener: FileOpener;
}

function readOne(file: string, { directory, path, origin, opener }: PromptPlace): PromptText | Diagnostic {
  try {
    const read = readInside(directory, file, LARGEST_FILE_BYTES, opener);
    switch (read.kind) {
      case "read": {
        const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(read.bytes);
        return { name: promptNameOf(path) ?? path, origin, file, text };
      }
      case "outside":
        return permanent(file, "Cannot read prompt: it is a link that leads out of the directory: put the file there");
      case "exchanged":
        return transient(file, "Cannot read prompt: it was exchanged while it was read: save it once more");
      case "not_regular":
        return permanent(file, "Cannot read prompt: it is no regular file: replace it");
      case "too_large":
        return permanent(file, `Cannot read prompt: it has ${read.size} bytes, at most ${LARGEST_FILE_BYTES} are read`);
    }
  } catch (thrown) {
    if (thrown instanceof TypeError) return permanent(file, "Cannot read prompt: it is not UTF-8: save it as UTF-8");
    if (isFileError(thrown)) return transient(file, `Cannot read prompt: ${messageOf(thrown)}: make it readable`);
    throw thrown;
  }
}

function leadsOut(path: string): Diagnostic {
  return permanent(path, "Cannot read prompts: the directory is a link that leads out: put the files there themselves");
}
