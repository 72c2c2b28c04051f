/** The code of the outline tool. */
import type { NativeTool } from "../project/native_tool.ts";
import { outlineGenerate } from "./outline_generate.ts";

export const TOOLS: Readonly<Record<string, NativeTool>> = { outline_generate: outlineGenerate };
