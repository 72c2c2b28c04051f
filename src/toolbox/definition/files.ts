/** Tools for the files of the project. */
import { READING_TOOLS } from "./files_reading.ts";
import { WRITING_TOOLS } from "./files_writing.ts";
import type { ToolDefinition } from "./tool_definition.ts";

export const FILE_TOOLS: readonly ToolDefinition[] = [...READING_TOOLS, ...WRITING_TOOLS];
