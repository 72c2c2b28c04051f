/** The code of the tools for rules, by name. */
import type { NativeTool } from "../project/native_tool.ts";
import { checkRules } from "./check.ts";
import { createRule } from "./create.ts";
import { listRules } from "./list.ts";
import { recordVerdicts } from "./verdict.ts";

export const TOOLS: Readonly<Record<string, NativeTool>> = {
  rules_check: checkRules,
  rules_verdict: recordVerdicts,
  rules_list: listRules,
  rules_create: createRule,
};
