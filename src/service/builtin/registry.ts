import { AWAIT_TOOL } from "./await_tool.ts";
import type { BuiltinTool } from "./builtin_tool.ts";
import { CANCEL_TOOL } from "./cancel_tool.ts";
import { SHELL_TOOL } from "./shell_tool.ts";
import { STATUS_TOOL } from "./status_tool.ts";

/** The tools that always exist and win over any tool file, in the order they are listed (B1). */
export const BUILTIN_TOOLS: ReadonlyMap<string, BuiltinTool> = new Map(
  [AWAIT_TOOL, CANCEL_TOOL, SHELL_TOOL, STATUS_TOOL].map((tool) => [tool.name, tool]),
);
