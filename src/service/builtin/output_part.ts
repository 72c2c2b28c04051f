/** A part of an output for `status` (B3): a range of lines, or the bytes after an offset, limited to one result. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { Operation } from "../../operation/operation_record.ts";
import {
  lineTotal,
  type LineWish,
  type OutputPage,
  readLines,
  readPage,
  resolveLines,
} from "../../operation/output/output_pages.ts";
import type { BuiltinArguments } from "../builtin_parameters.ts";
import { readLineRange } from "../result/resource_uri.ts";
import { OPERATION_META_KEY, operationMeta } from "../result/closing_line.ts";
import { joinLines, textResult } from "../result/result_text.ts";
import type { ServiceSettings } from "../service.ts";

export type PartRequest = { readonly lines: LineWish } | { readonly offset: number };

/** Bytes kept free for the line that names the part. */
const HEADING_BYTES = 200;

/** The part that the arguments request; undefined: they request none. The problem is the text of the result. */
export function partRequest(args: BuiltinArguments): Outcome<PartRequest | undefined> {
  const lines = args.text("lines");
  const offset = args.number("offset");
  if (lines !== undefined && offset !== undefined) {
    return failure('Cannot run "status": "lines" and "offset" exclude each other: give one of them');
  }
  if (offset !== undefined) return success({ offset });
  if (lines === undefined) return success(undefined);
  const range = readLineRange(lines);
  return range.ok ? success({ lines: range.value }) : failure(`Cannot run "status": ${range.problem}`);
}

/** The part, below a line that names it and says how to read on. */
export async function outputPart(
  operation: Operation,
  wish: PartRequest,
  { inline, keepAnsi }: Pick<ServiceSettings, "inline" | "keepAnsi">,
): Promise<CallToolResult> {
  const { id, state, output } = operation;
  const limit = Math.max(1, inline.bytes - HEADING_BYTES);
  const { page, shown } = "offset" in wish
    ? await bytesFrom(operation, wish.offset, { limit, keepAnsi })
    : await linesOf(operation, wish.lines, { limit, keepAnsi });
  const lost = output.lostBytes > 0 ? `; ${output.lostBytes} bytes are lost` : "";
  const text = page.nextOffset > page.offset ? page.text : "[empty]";
  return {
    ...textResult(joinLines(`[${id} ${state}, ${shown}${lost}]`, text)),
    _meta: { [OPERATION_META_KEY]: operationMeta(operation, undefined) },
  };
}

interface ReadOptions {
  readonly limit: number;
  readonly keepAnsi: boolean;
}

async function bytesFrom({ output }: Operation, offset: number, { limit, keepAnsi }: ReadOptions) {
  const page = await readPage(output, { offset: Math.min(offset, output.totalBytes), limit }, { keepAnsi });
  return { page, shown: `bytes ${page.offset} to ${page.nextOffset} of ${output.totalBytes}${goOn(page, output)}` };
}

async function linesOf({ output }: Operation, wish: LineWish, { limit, keepAnsi }: ReadOptions) {
  const { first, last } = resolveLines(output, wish);
  const page = await readLines(output, { first, last, limit }, { keepAnsi });
  const newlines = page.text.split("\n").length - 1;
  const insideLine = !page.text.endsWith("\n");
  const end = Math.max(first, first + newlines - (insideLine ? 0 : 1));
  const total = lineTotal(output);
  const which = `lines ${first} to ${end} of ${total}`;
  if (insideLine && page.nextOffset < output.totalBytes) {
    return { page, shown: `${which}, cut inside line ${end}${goOn(page, output)}` };
  }
  const wanted = Math.min(last ?? total, total);
  const more = end < wanted ? `; go on with "lines": "${end + 1}-${wanted}"` : "";
  return { page, shown: `${which}${more}` };
}

function goOn({ nextOffset }: OutputPage, { totalBytes }: Operation["output"]): string {
  return nextOffset < totalBytes ? `; go on with "offset": ${nextOffset}` : "";
}
