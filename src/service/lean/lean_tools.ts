/** The two tools that `--lean` lists, and the texts about the hidden tools. Pure. */
import type { Tool } from "@modelcontextprotocol/server";
import { CALL_TOOL_NAME, FIND_TOOLS_NAME } from "../../catalog/format/builtin_traits.ts";
import { visibleText } from "../../base/visible_text.ts";
import { type Parameter, schemaOf } from "../builtin_parameters.ts";
import { firstSentence, listedName, type ListFacts } from "../result/listed_texts.ts";

export const FIND_PARAMETERS: readonly Parameter[] = [
  { name: "query", kind: "text", description: "Words, or names of tools. Without it: all names." },
  { name: "limit", kind: "count", description: "Most tools to show; default 5." },
];

export const CALL_PARAMETERS: readonly Parameter[] = [
  { name: "name", kind: "text", description: "The tool's name.", required: true },
  { name: "arguments", kind: "object", description: "The tool's own arguments." },
];

/** At most this many origins of tools are named. */
const MOST_ORIGINS = 20;
/** At most this many optional arguments of a tool are named. */
const MOST_OPTIONAL = 10;
/** A longer first sentence is truncated, characters. */
const LONGEST_SENTENCE = 200;

/** `origins`: where the tools come from, such as names of servers. */
export function leanTools(facts: ListFacts, origins: readonly string[]): readonly Tool[] {
  const find = listedName(facts, FIND_TOOLS_NAME);
  const shown = origins.slice(0, MOST_ORIGINS).map(visibleText);
  if (origins.length > MOST_ORIGINS) shown.push(`${origins.length - MOST_ORIGINS} more`);
  return [
    {
      name: FIND_TOOLS_NAME,
      title: "Find tools",
      description: `Finds tools that are not listed, of: ${shown.join(", ")}. Shows the best with their arguments; ` +
        "a name as query shows its whole definition.",
      // A schema is JSON, which its own type does not say: its members are `unknown`.
      inputSchema: { ...schemaOf(FIND_PARAMETERS) } as Tool["inputSchema"],
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    {
      name: CALL_TOOL_NAME,
      title: "Call a found tool",
      description: `Calls a tool that \`${find}\` shows, and returns its result. It may read, change or delete what ` +
        `that tool does; \`${find}\` shows the hints of each.`,
      inputSchema: { ...schemaOf(CALL_PARAMETERS) } as Tool["inputSchema"],
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    },
  ];
}

/** `name(required, optional?) [hints]: First sentence.` */
export function briefText(tool: Tool): string {
  const { properties = {}, required = [] } = tool.inputSchema;
  const optional = Object.keys(properties).filter((name) => !required.includes(name)).map((name) => `${name}?`);
  const more = optional.length > MOST_OPTIONAL ? ["..."] : [];
  const args = [...required, ...optional.slice(0, MOST_OPTIONAL), ...more];
  return headText(tool, `(${args.join(", ")})`, shortSentence(tool.description ?? ""));
}

/** The first sentence with the schema of the arguments. */
export function schemaText(tool: Tool): string {
  return `${headText(tool, "", shortSentence(tool.description ?? ""))}\n${argumentsText(tool)}`;
}

/** The whole definition. */
export function wholeText(tool: Tool): string {
  return `${headText(tool, "", (tool.description ?? "").trim())}\n${argumentsText(tool)}`;
}

/** The schema of the arguments, without the version of its language. */
export function argumentsText({ inputSchema: { $schema: _, ...schema } }: Tool): string {
  return JSON.stringify(schema);
}

function headText(tool: Tool, args: string, text: string): string {
  const hints = hintsOf(tool);
  const mark = hints.length === 0 ? "" : ` [${hints.join(", ")}]`;
  return `${tool.name}${args}${mark}${text === "" ? "" : `: ${text}`}`;
}

function hintsOf({ annotations = {} }: Tool): readonly string[] {
  if (annotations.readOnlyHint === true) return ["read-only"];
  return annotations.destructiveHint === true ? ["destructive"] : [];
}

function shortSentence(description: string): string {
  const sentence = firstSentence(description);
  return sentence.length <= LONGEST_SENTENCE ? sentence : `${sentence.slice(0, LONGEST_SENTENCE).toWellFormed()}...`;
}
