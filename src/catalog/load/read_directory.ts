/**
 * The tool files of a directory as text, with limits on what is read (T1). Read synchronously: for many small files
 * that is several times faster, and start-up waits for them anyway (N3).
 */
import { messageOf } from "../../base/errors.ts";
import { realPath } from "../../system/paths.ts";
import { type FileOpener, withFileOpener } from "../../system/reading/file_opener.ts";
import { isFileError, readInside, readRegularFile, type RegularFile } from "../../system/reading/regular_file.ts";
import { compareText } from "../../base/text.ts";
import type { ToolText } from "./tool_text.ts";
import { type Diagnostic, permanent, transient } from "../../base/diagnostic.ts";

/** A tool file is written by hand; what is larger is something else. */
export const LARGEST_FILE_BYTES = 1024 * 1024;
/**
 * Limits of all files of a directory: a command may be able to write here, and the read blocks the server. Files beyond
 * them, in name order, are left out.
 */
export const MOST_BYTES = 4 * 1024 * 1024;
export const MOST_FILES = 1_000;

/** Files of the tools directory that hold no tool. */
const NOT_TOOLS: readonly string[] = ["settings.json"];

/** What was read, and what could not be. */
export interface ReadTexts {
  readonly texts: readonly ToolText[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Whether tool files may be read from a directory with this real path. */
export type MayRead = (real: string) => boolean;

/** Every `*.json` of a directory in name order, not recursive. Never throws for what the directory holds. */
export function readToolTexts(directory: string, mayRead: MayRead = () => true): ReadTexts {
  const before = leadsElsewhere(directory, mayRead);
  if (before !== undefined) return { texts: [], diagnostics: [before] };
  const read = readAll(directory);
  // Commands may be able to exchange the directory while it is read.
  const after = leadsElsewhere(directory, mayRead);
  return after === undefined ? read : { texts: [], diagnostics: [after] };
}

/** Why a directory is not read: commands may be able to make it a link, and what is in files there is told to the agent. */
function leadsElsewhere(directory: string, mayRead: MayRead): Diagnostic | undefined {
  // The read reports a missing path.
  const real = realPath(directory);
  if (real === undefined || mayRead(real)) return undefined;
  const message = "Cannot read tools directory: it is a link that leads out of the project: put the files themselves " +
    "there, or name their directory with --tools-dir";
  return permanent(directory, message);
}

function readAll(directory: string): ReadTexts {
  const names = toolFileNames(directory);
  if (typeof names === "string") return { texts: [], diagnostics: [permanent(directory, names)] };
  return withFileOpener((opener) => readFiles(directory, names, opener));
}

function readFiles(directory: string, names: readonly string[], opener: FileOpener): ReadTexts {
  const texts: ToolText[] = [];
  const diagnostics: Diagnostic[] = [];
  let left = MOST_BYTES;
  for (const [index, name] of names.entries()) {
    const read = index < MOST_FILES
      ? readOne(directory, name, { largest: Math.min(left, LARGEST_FILE_BYTES), opener })
      : undefined;
    if (read === undefined) {
      diagnostics.push(permanent(directory, `Cannot read tools directory beyond "${name}": ${TOO_MUCH}`));
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

const TOO_MUCH = `at most ${MOST_FILES} files of ${MOST_BYTES} bytes together are read: remove some`;

/** Names of the tool files in a directory, in order; a text says why it cannot be read. */
export function toolFileNames(directory: string): readonly string[] | string {
  const names: string[] = [];
  try {
    for (const { name, isDirectory } of Deno.readDirSync(directory)) {
      if (!isDirectory && isToolFileName(name)) names.push(name);
    }
  } catch (thrown) {
    const advice = "create it, or choose another with --tools-dir";
    if (thrown instanceof Deno.errors.NotFound) return `Cannot read tools directory: it does not exist: ${advice}`;
    if (thrown instanceof Deno.errors.NotADirectory) return `Cannot read tools directory: it is a file: ${advice}`;
    if (isFileError(thrown)) return `Cannot read tools directory: ${messageOf(thrown)}: ${advice}`;
    throw thrown;
  }
  return names.sort(compareText);
}

/** Hidden files are editors' scratch files; control characters would reach the terminal of a reader. */
function isToolFileName(name: string): boolean {
  return name.endsWith(".json") && !name.startsWith(".") && !NOT_TOOLS.includes(name) && !CONTROL_REGEXP.test(name);
}

// deno-lint-ignore no-control-regex -- what must not be in a name
const CONTROL_REGEXP = /[\x00-\x1f\x7f-\x9f]/;

/** A file of a tools directory, whose text is told to the agent. Undefined: it is larger than what is left of all of them. */
function readOne(
  directory: string,
  name: string,
  { largest, opener }: { readonly largest: number; readonly opener: FileOpener },
): ToolText | Diagnostic | undefined {
  const file = `${directory}/${name}`;
  try {
    const read = readInside(directory, file, largest, opener);
    if (read.kind === "outside") return permanent(file, OUTSIDE_LINK);
    if (read.kind === "exchanged") {
      return transient(file, "Cannot read tool file: it was exchanged while it was read: save it once more");
    }
    return read.kind === "too_large" && read.size <= LARGEST_FILE_BYTES ? undefined : textOf(file, read);
  } catch (thrown) {
    return unreadable(file, thrown);
  }
}

const OUTSIDE_LINK =
  "Cannot read tool file: it is a link that leads out of the tools directory: put the file itself there";

/** One tool file, whatever its name; the problem says why it cannot be read. */
export function readToolFile(file: string): ToolText | Diagnostic {
  try {
    return textOf(file, readRegularFile(file, LARGEST_FILE_BYTES));
  } catch (thrown) {
    return unreadable(file, thrown);
  }
}

/** @throws TypeError for what is not UTF-8 */
function textOf(file: string, read: RegularFile): ToolText | Diagnostic {
  if (read.kind === "read") return { file, text: new TextDecoder("utf-8", { fatal: true }).decode(read.bytes) };
  const why = read.kind === "not_regular"
    ? "it is no regular file: replace it"
    : `it has ${read.size} bytes, at most ${LARGEST_FILE_BYTES} are read`;
  return permanent(file, `Cannot read tool file: ${why}`);
}

function unreadable(file: string, thrown: unknown): Diagnostic {
  if (thrown instanceof TypeError) {
    return permanent(file, "Cannot read tool file: it is not UTF-8: save it as UTF-8");
  }
  if (isFileError(thrown)) return transient(file, `Cannot read tool file: ${messageOf(thrown)}: make it readable`);
  throw thrown;
}
