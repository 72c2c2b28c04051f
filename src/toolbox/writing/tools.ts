/** The code of the tools that change files. */
import type { NativeTool } from "../project/native_tool.ts";
import { editFile } from "./edit.ts";
import { patchFiles } from "./patch.ts";
import { writeFile } from "./write.ts";

export const TOOLS: Readonly<Record<string, NativeTool>> = {
  files_edit: editFile,
  files_write: writeFile,
  files_patch: patchFiles,
};
