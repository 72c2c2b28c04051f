/** `rules_list`: the rules of a project, a line each (K8). */
import { visibleText } from "../../base/visible_text.ts";
import { textResult, type ToolArguments, type ToolResult } from "../frame/messages.ts";
import type { ToolContext } from "../project/native_tool.ts";
import { chooseRules, rulesOf } from "./choose_rules.ts";
import { faultLines } from "./format/load_rules.ts";
import { messageOf, type Rule, type Severity } from "./format/rule.ts";

/** See the definition of `rules_list`. */
export async function listRules(args: ToolArguments, context: ToolContext): Promise<ToolResult> {
  const set = await rulesOf(args, context);
  const { severity, category } = args as { readonly severity?: Severity; readonly category?: string };
  const rules = chooseRules(set, { names: undefined, severity, category });
  const lines = [...rules.map(ruleLine), ...faultLines(set)];
  return textResult(visibleText(lines.join("\n") || "There is no such rule."));
}

function ruleLine(rule: Rule): string {
  const { name, severity, engine, origin, category } = rule;
  return `${name} ${severity} ${engine.kind} (${[origin, ...category === undefined ? [] : [category]].join(", ")}): ${
    messageOf(rule).replaceAll("\n", " ")
  }`;
}
