/** News of operations that ended since, at the end of any later result (X5c). Works with every client. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Operation } from "../operation/operation_record.ts";
import type { OperationRegistry } from "../operation/registry.ts";
import { lastLines } from "../operation/text_view.ts";
import { headingOf, statusLine } from "./results.ts";

/** More than these are told by the next results. */
const MOST_TOLD = 5;
const TOLD_OUTPUT = { bytes: 600, lines: 5 };

/** The news, and which operations it tells of; undefined: there is none. */
export interface News {
  readonly text: string;
  readonly told: readonly Operation[];
}

/** What ended and was not told yet, shortly: id, tool, status, last lines. */
export function collectNews(ended: readonly Operation[], options: { readonly keepAnsi: boolean }): News | undefined {
  const told = ended.slice(0, MOST_TOLD);
  if (told.length === 0) return undefined;
  const parts = told.map((operation) => {
    const output = lastLines(operation.output, TOLD_OUTPUT, options).trimEnd();
    return `${statusLine(operation)} ${headingOf(operation)}${output === "" ? "" : `\n${indent(output)}`}`;
  });
  const more = ended.length > told.length ? `\n${ended.length - told.length} more ended; \`status\` lists them.` : "";
  const title = "Ended in the meantime (`await` with the operation id gives the whole result):";
  return { text: `${title}\n${parts.join("\n")}${more}`, told };
}

/** `result` with the news appended, which then counts as told; the same object when there is no news. */
export function appendNews(
  result: CallToolResult,
  registry: OperationRegistry,
  options: { readonly keepAnsi: boolean },
): CallToolResult {
  const news = collectNews(registry.uncollected(), options);
  if (news === undefined) return result;
  for (const operation of news.told) registry.markCollected(operation.id);
  return { ...result, content: [...result.content, { type: "text", text: news.text }] };
}

function indent(text: string): string {
  return text.split("\n").map((line) => `  ${line}`).join("\n");
}
