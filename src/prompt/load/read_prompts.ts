/** The prompt files of a directory and its folders, within limits (Q1, Q4). Links may not lead outside. */
import { type Diagnostic, permanent } from "../../base/diagnostic.ts";
import { MOST_BYTES, MOST_FILES, readTexts } from "../../system/reading/text_files.ts";
import type { PromptOrigin } from "../format/prompt.ts";
import { promptNameOf } from "../format/prompt_name.ts";
import type { PromptText } from "../format/read_prompt.ts";
import { walk, WALKED } from "./walk.ts";

/** The largest file: prompts are written by hand, and parsing a longer one would block the server. */
const LARGEST_FILE_BYTES = 100 * 1024;
export interface PromptDirectory {
  readonly origin: PromptOrigin;
  /** Absolute; it may be missing. */
  readonly path: string;
  /** Whether files may be read from a directory with this real path. */
  readonly mayRead: (real: string) => boolean;
}

export interface ReadPrompts {
  readonly texts: readonly PromptText[];
  readonly diagnostics: readonly Diagnostic[];
}

const TOO_MANY =
  `at most ${MOST_FILES} files of ${MOST_BYTES} bytes, in ${WALKED.folders} folders with ${WALKED.entries} ` +
  "entries, are read: remove some";

const KIND = {
  name: "prompt",
  largest: LARGEST_FILE_BYTES,
  elsewhere: "Cannot read prompts: the directory is a link that leads out: use a real directory",
  outside: "the directory: put the file there",
  beyond: (path: string) => `Cannot read prompts beyond "${path}": ${TOO_MANY}`,
};

/** Every template below a directory, by path. A missing directory counts as empty. No content makes it throw. */
export function readPrompts({ origin, path: directory, mayRead }: PromptDirectory): ReadPrompts {
  const { texts, diagnostics } = readTexts(directory, { ...KIND, mayRead }, () => {
    const takes = (path: string) => promptNameOf(path) !== undefined;
    const { files, diagnostics, whole } = walk(directory, { noun: "prompts", takes });
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
