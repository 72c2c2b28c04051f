/** The code of the file tools. */
import type { NativeTool } from "../project/native_tool.ts";
import { readFile } from "./read_file.ts";

export const TOOLS: Readonly<Record<string, NativeTool>> = {
  files_read: readFile,
};
