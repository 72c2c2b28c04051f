/** `rules_create`: writes a checked rule of the project (K8). */
import { describeDiagnostic } from "../../base/diagnostic.ts";
import { UserError } from "../../base/errors.ts";
import { encodeText } from "../../base/text.ts";
import type { CallOf } from "../definition/groups.ts";
import { textResult, type ToolResult } from "../frame/messages.ts";
import { DeniedError } from "../project/protection.ts";
import type { ToolContext } from "../project/native_tool.ts";
import { changeFile } from "../writing/change_file.ts";
import { readRule } from "./format/read_rule.ts";
import { visibleText } from "../../base/visible_text.ts";
import { chooseRules, rulesOf } from "./choose_rules.ts";
import { faultLines } from "./format/load_rules.ts";
import { messageOf, type Rule } from "./format/rule.ts";

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*(?:\/[A-Za-z0-9][A-Za-z0-9_-]*){0,3}$/;

/** See the definition of `rules_create`. */
export async function createRule(args: CallOf<"rules_create">, context: ToolContext): Promise<ToolResult> {
  const { name } = args;
  if (!NAME.test(name)) throw new UserError(`Cannot create rule "${name}": write letters, digits, "-", "_" and "/"`);
  const path = `${context.project.directories.rules}/${name}.md`;
  const text = await textOf(args);
  const { diagnostics } = await readRule({ name, origin: "project", file: path, text });
  if (diagnostics.length > 0) {
    throw new UserError(`Cannot create rule "${name}":\n${diagnostics.map(describeDiagnostic).join("\n")}`);
  }
  try {
    return await changeFile(context, { path }, (content) => {
      if (content !== undefined) throw new UserError(`Cannot create rule "${name}": ${path} exists; change that file`);
      return { content: encodeText(text), summary: "created", diff: "" };
    });
  } catch (thrown) {
    if (!(thrown instanceof DeniedError)) throw thrown;
    const hint = `The rule is sound. A person saves it as ${path}:\n\n${text}`;
    return { ...textResult(`${thrown.message}\n${hint}`), isError: true, _meta: { ...thrown.meta } };
  }
}

async function textOf({ title, category, severity, fields, content }: CallOf<"rules_create">): Promise<string> {
  const { stringify } = await import("yaml");
  const head = { title, category, severity, ...fields };
  const body = content.replace(/\n*$/, "\n");
  return `---\n${stringify(head, { keepUndefined: false, lineWidth: 0 })}---\n${body}`;
}

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
