/** `rules_create`: writes a checked rule of the project (K8). */
import { describeDiagnostic } from "../../base/diagnostic.ts";
import { UserError } from "../../base/errors.ts";
import { encodeText } from "../../base/text.ts";
import { textResult, type ToolArguments, type ToolResult } from "../frame/messages.ts";
import { DeniedError } from "../project/denied_error.ts";
import type { ToolContext } from "../project/native_tool.ts";
import { changeFile } from "../writing/change_file.ts";
import { readRule } from "./format/read_rule.ts";

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*(?:\/[A-Za-z0-9][A-Za-z0-9_-]*){0,3}$/;

/** See the definition of `rules_create`. */
export async function createRule(args: ToolArguments, { project, signal }: ToolContext): Promise<ToolResult> {
  const name = String(args["name"]);
  if (!NAME.test(name)) throw new UserError(`Cannot create rule "${name}": write letters, digits, "-", "_" and "/"`);
  const path = `${project.directories.rules}/${name}.md`;
  const text = await textOf(args);
  const { diagnostics } = await readRule({ name, origin: "project", file: path, text });
  if (diagnostics.length > 0) {
    throw new UserError(`Cannot create rule "${name}":\n${diagnostics.map(describeDiagnostic).join("\n")}`);
  }
  const request = { path, expectedRev: undefined, dryRun: false, signal };
  try {
    return await changeFile(project, request, (content) => {
      if (content !== undefined) throw new UserError(`Cannot create rule "${name}": ${path} exists; change that file`);
      return { content: encodeText(text), summary: "created", diff: "" };
    });
  } catch (thrown) {
    if (!(thrown instanceof DeniedError)) throw thrown;
    const hint = `The rule is sound. A person saves it as ${path}:\n\n${text}`;
    return {
      ...textResult(`${thrown.message}\n${hint}`),
      isError: true,
      _meta: { ...thrown.meta },
    };
  }
}

async function textOf(args: ToolArguments): Promise<string> {
  const { stringify } = await import("yaml");
  const { title, category, severity } = args;
  const head = { title, category, severity, ...args["fields"] as object | undefined };
  const body = String(args["content"]).replace(/\n*$/, "\n");
  return `---\n${stringify(head, { keepUndefined: false, lineWidth: 0 })}---\n${body}`;
}
