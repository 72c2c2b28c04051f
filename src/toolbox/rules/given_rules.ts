/** What the server adds to calls of rules: the texts of the user's rules, which the worker may not read (K8). */
import type { ReadPrompts } from "../../prompt/load/read_prompts.ts";
import type { ToolArguments } from "../frame/messages.ts";
import { USER_RULES } from "../definition/rules.ts";
import type { ToolContext } from "../project/native_tool.ts";
import { loadRules, type RuleSet } from "./format/load_rules.ts";

/** The rules of a call. */
export async function rulesOf(args: ToolArguments, { project }: ToolContext): Promise<RuleSet> {
  const user = args[USER_RULES] as ReadPrompts | undefined; // the server's own
  return await loadRules(
    { project: project.directory, own: project.directories.rules },
    user ?? { texts: [], diagnostics: [] },
  );
}
