/** The tool files of a directory as text, within limits (T1). Synchronous, because that is faster at start (N3). */
import { type Diagnostic, permanent } from "../../base/diagnostic.ts";
import { messageOf } from "../../base/errors.ts";
import { compareText } from "../../base/text.ts";
import { isFileError, readRegularFile } from "../../system/reading/regular_file.ts";
import { MOST_BYTES, MOST_FILES, readTexts, textOf } from "../../system/reading/text_files.ts";

/** A tool file is written by hand; anything larger is not one. */
export const LARGEST_FILE_BYTES = 1024 * 1024;

/** Files of the tools directory that hold no tool. */
const NOT_TOOLS: readonly string[] = ["settings.json"];

/** The text of a tool file and what to call it in messages. */
export interface ToolText {
  readonly file: string;
  readonly text: string;
}

export interface ReadTexts {
  readonly texts: readonly ToolText[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Whether tool files may be read from a directory with this real path. */
export type MayRead = (real: string) => boolean;

const KIND = {
  name: "tool file",
  largest: LARGEST_FILE_BYTES,
  elsewhere: "Cannot read tools directory: it is a link that leads out of the project: put the files themselves " +
    "there, or name their directory with --tools-dir",
  outside: "the tools directory: put the file itself there",
  beyond: (name: string) =>
    `Cannot read tools directory beyond "${name}": at most ${MOST_FILES} files of ${MOST_BYTES} bytes together are ` +
    "read: remove some",
};

/** Every `*.json` of a directory in name order, not recursive. Never throws for what the directory holds. */
export function readToolTexts(directory: string, mayRead: MayRead = () => true): ReadTexts {
  const { texts, diagnostics } = readTexts(directory, { ...KIND, mayRead }, () => {
    const names = toolFileNames(directory);
    return typeof names === "string"
      ? { paths: [], diagnostics: [permanent(directory, names)] }
      : { paths: names, diagnostics: [] };
  });
  return { texts: texts.map(({ path, text }) => ({ file: `${directory}/${path}`, text })), diagnostics };
}

/** One tool file of any name; the problem says why it cannot be read. */
export function readToolFile(file: string): ToolText | Diagnostic {
  const text = textOf(file, KIND, () => readRegularFile(file, LARGEST_FILE_BYTES));
  if (text === false) throw new TypeError(`Read less of "${file}" than allowed`);
  return typeof text === "string" ? { file, text } : text;
}

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
