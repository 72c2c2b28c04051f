/** Prompts as text for a terminal. Pure. */
import type { GetPromptResult, Prompt as ListedPrompt, Tool } from "@modelcontextprotocol/server";
import type { Prompt, PromptParameter } from "../../../prompt/format/prompt.ts";
import { PROMPT_META_KEY } from "../../../service/prompts/prompt_file_source.ts";
import { member } from "../../../wire/json_value.ts";
import type { Colours } from "../../terminal/colours.ts";
import { table } from "../../terminal/help.ts";

/** A prompt in the form of the tables of tools: its arguments are parameters, and the description says whose it is. */
export function asTool({ name, description, title, arguments: args = [], _meta }: ListedPrompt): Tool {
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
export function promptText(prompt: Prompt, style: Colours): string {
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
export function messagesText(messages: GetPromptResult["messages"], { bold }: Colours): string {
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
