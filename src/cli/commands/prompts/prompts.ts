/** `prompts` (Q2): prompts that a client of this directory gets, their sources and their rendered texts. */
import { openPrompts } from "../../../app/prompts/open_prompts.ts";
import { describeDiagnostic } from "../../../base/diagnostic.ts";
import { UsageError, UserError } from "../../../base/errors.ts";
import { SILENT } from "../../../base/log.ts";
import { didYouMean } from "../../../base/suggest.ts";
import { PROMPT_META_KEY, PromptFileSource } from "../../../service/prompts/prompt_file_source.ts";
import { PROMPT_ACTIONS } from "../../../settings/flags/actions.ts";
import { toolLines, toolTable } from "../list_tools/tool_table.ts";
import { type Colours, colours } from "../../terminal/colours.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { mayColour, print, printProblem, terminalWidth } from "../../terminal/print.ts";
import type { GetPromptResult, Prompt as ListedPrompt, Tool } from "@modelcontextprotocol/server";
import type { Prompt, PromptParameter } from "../../../prompt/format/prompt.ts";
import { member } from "../../../wire/json_value.ts";
import { table } from "../../terminal/help.ts";

/** Lists, shows or renders; resolves with the exit code. */
export async function prompts(context: CommandContext): Promise<number> {
  const [action = "list", name, ...words] = context.operands;
  switch (action) {
    case "list":
      if (name !== undefined) throw new UsageError(`Unexpected argument "${name}": "list" takes no arguments`);
      return await list(context);
    case "show":
      if (words[0] !== undefined) throw new UsageError(`Unexpected argument "${words[0]}": "show" takes one name`);
      return await show(context, needed(action, name));
    case "render":
      return await render(context, needed(action, name), argumentsOf(words));
    default:
      throw new UsageError(
        `Unknown action "${action}": expected one of ${PROMPT_ACTIONS.join(", ")}${didYouMean(action, PROMPT_ACTIONS)}`,
      );
  }
}

function needed(action: string, name: string | undefined): string {
  if (name !== undefined) return name;
  throw new UsageError(`Cannot ${action} without a name: "ahma_mcp prompts ${action} NAME"`);
}

/** `key=value` words; a value may hold further equals signs. */
function argumentsOf(words: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(words.map((word) => {
    const at = word.indexOf("=");
    if (at < 1) throw new UsageError(`Cannot use "${word}": write an argument as in "file=src/main.ts"`);
    return [word.slice(0, at), word.slice(at + 1)];
  }));
}

async function list(context: CommandContext): Promise<number> {
  await using live = opened(context, context.settings.prompts.shipped);
  const { diagnostics } = await live.checked();
  for (const one of diagnostics) await printProblem(describeDiagnostic(one));
  const listed = await new PromptFileSource(live, { changes: false }).list();
  const width = terminalWidth();
  const style = { width: width ?? 0, colours: colours(mayColour(context.environment)) };
  if (context.flags.has("json")) await print(`${JSON.stringify({ prompts: listed }, null, 2)}\n`);
  else if (listed.length === 0) await printProblem("There are no prompts here: see docs/prompts.md, or add --prompts");
  else await print(width === undefined ? toolLines(listed.map(asTool)) : toolTable(listed.map(asTool), style));
  return 0;
}

async function show(context: CommandContext, name: string): Promise<number> {
  await using live = opened(context, WITH_SHIPPED);
  const { all, diagnostics } = await live.checked();
  const prompt = all.get(name);
  if (prompt === undefined) throw unknown(name, all.keys());
  for (const one of diagnostics.filter(({ file }) => file === prompt.file)) await printProblem(describeDiagnostic(one));
  const marks = colours(mayColour(context.environment));
  await print(context.flags.has("json") ? `${JSON.stringify(prompt, null, 2)}\n` : promptText(prompt, marks));
  return 0;
}

async function render(
  context: CommandContext,
  name: string,
  args: Readonly<Record<string, string>>,
): Promise<number> {
  await using live = opened(context, WITH_SHIPPED);
  const source = new PromptFileSource(live, { changes: false });
  const answered = await source.get({ name, args }, { signal: context.stop });
  if (!answered.ok) {
    throw answered.problem.kind === "unknown"
      ? unknown(name, answered.problem.known)
      : new UserError(answered.problem.message);
  }
  const marks = colours(mayColour(context.environment));
  await print(
    context.flags.has("json")
      ? `${JSON.stringify(answered.value, null, 2)}\n`
      : messagesText(answered.value.messages, marks),
  );
  return 0;
}

/** The shipped prompts are at hand without a flag. */
const WITH_SHIPPED = true;

function opened({ settings, environment }: CommandContext, shipped: boolean) {
  const choice = { ...settings, hotReload: false, prompts: { ...settings.prompts, shipped } };
  return openPrompts({ settings: choice, environment, log: SILENT });
}

function unknown(name: string, known: Iterable<string>): UserError {
  const guess = didYouMean(name, known);
  return new UserError(`No prompt is named "${name}"${guess || ': "ahma_mcp prompts list" names all'}`);
}

/** A prompt in the form of the tables of tools: its arguments are parameters, and the description says whose it is. */
function asTool({ name, description, title, arguments: args = [], _meta }: ListedPrompt): Tool {
  const source = member(_meta?.[PROMPT_META_KEY], "source");
  return {
    name,
    description: `${description ?? title ?? "No description."} [${String(source)}]`,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(args.map((one) => [one.name, {}])),
      required: args.filter(({ required }) => required).map((one) => one.name),
    },
  };
}

/** What is known of a prompt, and its template. */
function promptText(prompt: Prompt, style: Colours): string {
  const { name, origin, file, title, description, tags, parameters, body, isPartial } = prompt;
  const facts = [origin, ...isPartial ? ["partial"] : [], file].join(", ");
  const rows = parameters.map((one) => [one.required ? `${one.name}*` : one.name, wordsOf(one)] as const);
  return [
    `${style.bold(name)} (${facts})`,
    ...[title ?? [], description ?? []].flat(),
    ...tags.length === 0 ? [] : [`Tags: ${tags.join(", ")}`],
    ...rows.length === 0 ? [] : ["", style.bold("Arguments") + " (* required)", ...table(rows, style)],
    "",
    style.bold("Template"),
    body,
    "",
  ].join("\n");
}

/** The messages; where there are several, each begins with its role. */
function messagesText(messages: GetPromptResult["messages"], { bold }: Colours): string {
  return messages.map(({ role, content }) => {
    const text = content.type === "text" ? content.text : "";
    return messages.length === 1 ? `${text}\n` : `${bold(`[${role}]`)}\n${text}\n`;
  }).join("\n");
}

function wordsOf({ description, type, choices, fallback }: PromptParameter): string {
  const facts = [
    ...type === "text" || choices.length > 0 ? [] : [type],
    ...choices.length === 0 ? [] : [choices.join("|")],
    ...fallback === undefined ? [] : [`default: ${typeof fallback === "string" ? fallback : JSON.stringify(fallback)}`],
  ];
  return [description ?? [], ...facts.length === 0 ? [] : [`(${facts.join("; ")})`]].flat().join(" ");
}
