import type { BuiltinName } from "../../catalog/format/builtin_traits.ts";
import { AWAIT_TOOL } from "./await_tool.ts";
import type { BuiltinTool } from "./builtin_tool.ts";
import { CANCEL_TOOL } from "./cancel_tool.ts";
import { SHELL_TOOL } from "./shell_tool.ts";
import { STATUS_TOOL } from "./status_tool.ts";

/** One tool for each row of the built-in traits, in the order in which they are listed. */
const TOOLS: Readonly<Record<BuiltinName, BuiltinTool>> = {
  await: AWAIT_TOOL,
  cancel: CANCEL_TOOL,
  sandboxed_shell: SHELL_TOOL,
  status: STATUS_TOOL,
};

/** The tools that always exist and win over any tool file (B1). */
export const BUILTIN_TOOLS: ReadonlyMap<string, BuiltinTool> = new Map(Object.entries(TOOLS));
