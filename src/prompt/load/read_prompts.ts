/**
 * The prompt files of a directory and its folders as text, with limits on what is read (Q1, Q4). Links to other folders
 * are not followed, and a link to a file only where it stays inside.
 */
import { type Diagnostic, permanent, transient } from "../../base/diagnostic.ts";
import { messageOf } from "../../base/errors.ts";
import { compareText } from "../../base/text.ts";
import { isExpected } from "../../system/paths.ts";
import { MOST_BYTES, MOST_FILES, readTexts } from "../../system/reading/text_files.ts";
import type { PromptOrigin } from "../format/prompt.ts";
import { promptNameOf } from "../format/prompt_name.ts";
import type { PromptText } from "../format/read_prompt.ts";

/** A prompt is written by hand; parsing a longer one would block the server. */
const LARGEST_FILE_BYTES = 100 * 1024;
/** Folders in a directory, and how deep they lie. */
const MOST_FOLDERS = 200;
const DEEPEST = 8;
/** Entries of all folders together: looking at them blocks the server. */
const MOST_ENTRIES = 10_000;

export interface PromptDirectory {
  readonly origin: PromptOrigin;
  /** Absolute; it need not exist. */
  readonly path: string;
  /** Whether files may be read from a directory with this real path. */
  readonly mayRead: (real: string) => boolean;
}

export interface ReadPrompts {
  readonly texts: readonly PromptText[];
  readonly diagnostics: readonly Diagnostic[];
}

const TOO_MANY =
  `at most ${MOST_FILES} files of ${MOST_BYTES} bytes, in ${MOST_FOLDERS} folders with ${MOST_ENTRIES} ` +
  "entries, are read: remove some";

const KIND = {
  name: "prompt",
  largest: LARGEST_FILE_BYTES,
  elsewhere: "Cannot read prompts: the directory is a link that leads out: put the files there themselves",
  outside: "the directory: put the file there",
  beyond: (path: string) => `Cannot read prompts beyond "${path}": ${TOO_MANY}`,
};

/** Every template below a directory, by path. A directory that is missing holds nothing. Never throws for what is there. */
export function readPrompts({ origin, path: directory, mayRead }: PromptDirectory): ReadPrompts {
  const { texts, diagnostics } = readTexts(directory, { ...KIND, mayRead }, () => {
    const { files, diagnostics, whole } = walk(directory);
    if (!whole) diagnostics.push(permanent(directory, `Cannot read all prompts: ${TOO_MANY}`));
    return { paths: files, diagnostics };
  });
  return {
    texts: texts.map(({ path, text }) => ({
      name: promptNameOf(path) ?? path,
      origin,
      file: `${directory}/${path}`,
      text,
    })),
    diagnostics,
  };
}

/** The folders below a directory, without links; none where it cannot be read. */
export function foldersBelow(directory: string): readonly string[] {
  return walk(directory).folders.slice(1);
}

interface Walked {
  /** Paths of templates below the directory, in order. */
  readonly files: readonly string[];
  /** The directory and those below it, absolute. */
  readonly folders: readonly string[];
  readonly diagnostics: Diagnostic[];
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
