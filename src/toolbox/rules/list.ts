/** `rules_list`: the rules of a project, a line each (K8). */
import { visibleText } from "../../base/visible_text.ts";
import type { CallOf } from "../definition/groups.ts";
import { textResult, type ToolResult } from "../frame/messages.ts";
import type { ToolContext } from "../project/native_tool.ts";
import { chooseRules, rulesOf } from "./choose_rules.ts";
import { faultLines } from "./format/load_rules.ts";
import { messageOf, type Rule } from "./format/rule.ts";

/** See the definition of `rules_list`. */
export async function listRules(args: CallOf<"rules_list">, context: ToolContext): Promise<ToolResult> {
  const set = await rulesOf(args, context);
  const rules = chooseRules(set, { names: undefined, severity: args.severity, category: args.category });
  const lines = [...rules.map(ruleLine), ...faultLines(set)];
  return textResult(visibleText(lines.join("\n") || "There is no such rule."));
}

function ruleLine(rule: Rule): string {
  const { name, severity, engine, origin, category } = rule;
  return `${name} ${severity} ${engine.kind} (${[origin, ...category === undefined ? [] : [category]].join(", ")}): ${
    messageOf(rule).replaceAll("\n", " ")
  }`;
}
