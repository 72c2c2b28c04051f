/** The code of the file tools. */
import type { NativeTool } from "../project/native_tool.ts";
import { COMPLETE_PATH } from "../definition/question.ts";
import { completePath } from "../find/complete_path.ts";
import { globFiles } from "../find/glob.ts";
import { grepFiles } from "../grep/grep.ts";
import { listDirectory } from "./list.ts";
import { readFile } from "./read_file.ts";

export const TOOLS: Readonly<Record<string, NativeTool>> = {
  files_read: readFile,
  files_list: listDirectory,
  files_glob: globFiles,
  [COMPLETE_PATH]: completePath,
  files_grep: grepFiles,
};
