import type { Tool } from "@modelcontextprotocol/server";
import type { Colours } from "../../terminal/colours.ts";
import { wrapped } from "../../terminal/help.ts";
import type { CallShape } from "./parse_tool_words.ts";

const WIDTH = 100;

/** The help of one tool for `call TOOL --help`: its description and its command line. */
export function toolHelp(tool: Tool, shape: CallShape, { bold, cyan }: Colours): string {
  const required = tool.inputSchema.required ?? [];
  const words = shape.positionals.map((name) => required.includes(name) ? name : `[${name}]`);
  const rows = Object.entries(tool.inputSchema.properties ?? {}).map(([name, schema]) => {
    const alias = shape.arguments.find((one) => one.name === name)?.alias;
    const flag = name.startsWith("-") ? name : `--${name.replaceAll("_", "-")}`;
    const typed = `${flag}${alias === undefined ? "" : `, -${alias}`}`;
    return { typed, text: describe(schema, required.includes(name)) };
  });
  const column = Math.min(36, Math.max(0, ...rows.map(({ typed }) => typed.length)) + 2);
  return [
    bold(tool.name),
    ...(tool.description ?? "").split("\n").flatMap((line) => wrapped(line, WIDTH)),
    "",
    `${bold("Usage")}: ahma_mcp call ${[shape.tool, "[options]", ...words].join(" ")}`,
    "",
    bold("Options"),
    ...rows.map(({ typed, text }) =>
      `  ${cyan(typed.padEnd(column))}${wrapped(text, WIDTH - column - 2).join(`\n${" ".repeat(column + 2)}`)}`
    ),
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
