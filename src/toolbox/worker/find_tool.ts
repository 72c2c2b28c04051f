/** The code of every native tool; packages that only some of them need are loaded by their first call. */
import { TOOLS as CHANGES } from "../changes/git_changes.ts";
import { TOOLS as FILES } from "../files/tools.ts";
import { noteTools } from "../notes/tools.ts";
import { TOOLS as OUTLINE } from "../outline/tools.ts";
import { TOOLS as SEARCH } from "../search/tools.ts";
import type { NativeTool } from "../project/native_tool.ts";
import { TOOLS as RULES } from "../rules/tools.ts";
import { TOOLS as WEB } from "../web/tools.ts";
import { TOOLS as WRITING } from "../writing/tools.ts";

const TOOLS: ReadonlyMap<string, NativeTool> = new Map(
  Object.entries({ ...FILES, ...WRITING, ...CHANGES, ...noteTools(), ...WEB, ...OUTLINE, ...SEARCH, ...RULES }),
);

/** The code of the tool of this name; undefined: there is none. */
export function findTool(name: string): NativeTool | undefined {
  return TOOLS.get(name);
}
