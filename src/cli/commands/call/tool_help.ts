import type { Tool } from "@modelcontextprotocol/server";
import type { Colours } from "../../terminal/colours.ts";
import { table, wrapped } from "../../terminal/help.ts";
import type { CallShape } from "./parse_tool_words.ts";

const WIDTH = 100;
/** Of the column of options; longer ones push their texts aside. */
const WIDEST = 36;

/** The help of one tool for `call TOOL --help`: its description and its command line. */
export function toolHelp(tool: Tool, shape: CallShape, colours: Colours): string {
  const { bold } = colours;
  const required = tool.inputSchema.required ?? [];
  const words = shape.positionals.map((name) => required.includes(name) ? name : `[${name}]`);
  const rows = Object.entries(tool.inputSchema.properties ?? {}).map(([name, schema]): [string, string] => {
    const alias = shape.arguments.find((one) => one.name === name)?.alias;
    const flag = name.startsWith("-") ? name : `--${name.replaceAll("_", "-")}`;
    return [`${flag}${alias === undefined ? "" : `, -${alias}`}`, describe(schema, required.includes(name))];
  });
  return [
    bold(tool.name),
    ...(tool.description ?? "").split("\n").flatMap((line) => wrapped(line, WIDTH)),
    "",
    `${bold("Usage")}: ahma_mcp call ${[shape.tool, "[options]", ...words].join(" ")}`,
    "",
    bold("Options"),
    ...table(rows, colours, WIDEST),
    "",
  ].join("\n");
}

function describe(schema: unknown, required: boolean): string {
  const { type, description, enum: choices, default: preset } = schema as Record<string, unknown>; // JSON Schema
  const facts = [
    String(type),
    ...required ? ["required"] : [],
    ...Array.isArray(choices) ? [`one of ${choices.join(", ")}`] : [],
    ...preset === undefined ? [] : [`default ${JSON.stringify(preset)}`],
  ];
  return `${typeof description === "string" ? `${description} ` : ""}(${facts.join(", ")})`;
}
