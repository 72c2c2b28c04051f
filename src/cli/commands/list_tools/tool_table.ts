/** Formats tools as a table for a terminal, and as lines for a pipe. */
import type { Tool } from "@modelcontextprotocol/server";
import type { Colours } from "../../terminal/colours.ts";
import { firstSentence } from "../../../service/result/listed_texts.ts";
import { wrapped } from "../../terminal/help.ts";

interface TableStyle {
  /** Columns of the terminal. */
  readonly width: number;
  readonly colours: Colours;
}

/** More would push the descriptions off the screen. */
const WIDEST_NAME = 32;
const NARROWEST_TEXT = 24;

/** A table for a terminal: name, first sentence, and the parameters (`*`: required) below. */
export function toolTable(tools: readonly Tool[], { width, colours }: TableStyle): string {
  const column = Math.min(WIDEST_NAME, Math.max(4, ...tools.map(({ name }) => name.length))) + 2;
  const room = Math.max(NARROWEST_TEXT, width - column);
  const lines = tools.flatMap((tool) => {
    const text = wrapped(firstSentence(tool.description ?? ""), room);
    const parameters = parametersOf(tool);
    const below = parameters.length === 0 ? [] : wrapped(parameters.join(", "), room).map(colours.dim);
    const rows = [...text, ...below];
    const [first, rest] = tool.name.length < column ? [rows[0] ?? "", rows.slice(1)] : [undefined, rows];
    const name = colours.bold(tool.name) + " ".repeat(Math.max(0, column - tool.name.length));
    return [
      first === undefined ? colours.bold(tool.name) : name + first,
      ...rest.map((row) => " ".repeat(column) + row),
    ];
  });
  return `${lines.join("\n")}\n`;
}

/** One line for each tool: name, parameters separated by blanks (`*`: required), description; tabs between. */
export function toolLines(tools: readonly Tool[]): string {
  return tools.map((tool) => {
    const description = (tool.description ?? "").replaceAll(/\s+/g, " ").trim();
    return `${tool.name}\t${parametersOf(tool).join(" ")}\t${description}\n`;
  }).join("");
}

function parametersOf(tool: Tool): string[] {
  const required = tool.inputSchema.required ?? [];
  return Object.keys(tool.inputSchema.properties ?? {}).map((name) => required.includes(name) ? `${name}*` : name);
}
