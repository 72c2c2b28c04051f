/** The answer to what was typed into an operation (X22): its state, and what it wrote since. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { isEnded } from "../../operation/operation.ts";
import type { Operation } from "../../operation/operation_record.ts";
import type { Awaited, OutputWaitEnd } from "../../operation/output_wait.ts";
import { readPage } from "../../operation/output/output_pages.ts";
import { closingLine, OPERATION_META_KEY, operationMeta } from "./closing_line.ts";
import { denialMeta, joinLines, type ResultStyle, sandboxNotes, screenText } from "./result_text.ts";
import { protectedMeta, protectedNote } from "./protected_note.ts";
import { imitationNote } from "./imitation.ts";
import { withoutQuestion } from "./input_note.ts";
import { whyOver } from "./waited_result.ts";

/** Bytes kept free for the lines around the output. */
const ROOM_BYTES = 300;

/** The screen of a full-screen program. */
function drawnResult(
  operation: Operation,
  end: OutputWaitEnd,
  style: ResultStyle & { readonly awaited: Awaited },
): CallToolResult {
  const state = `${operation.id} ${whyOver(operation, end, { ...style, position: undefined })}.`;
  return {
    content: [{ type: "text", text: `${state} ${screenText(operation)}` }],
    _meta: { [OPERATION_META_KEY]: { ...operationMeta(operation, undefined), position: operation.output.totalBytes } },
  };
}

/** `from`: the length of the output before the input was sent. */
export async function sentResult(
  operation: Operation,
  end: OutputWaitEnd & { readonly from: number },
  style: ResultStyle & { readonly awaited: Awaited },
): Promise<CallToolResult> {
  const { output, id } = operation;
  await operation.screen?.read();
  // It has none any more if its command has ended meanwhile.
  if (operation.screen?.isDrawn === true) return drawnResult(operation, end, style);
  const limit = Math.max(1, style.limits.bytes - ROOM_BYTES);
  const start = Math.max(end.from, output.totalBytes - limit);
  const { text } = await readPage(output, { offset: start, limit }, style);
  const cut = start === end.from
    ? ""
    : `[${start - end.from} bytes before are left out; ${style.toolPrefix}status ${
      JSON.stringify({ operation_id: id, offset: end.from })
    } reads them]`;
  const isOver = isEnded(operation.state);
  const why = whyOver(operation, end, { ...style, position: undefined });
  const shown = withoutQuestion(text, why);
  const state = `${id} ${why}.${shown === "" ? "" : " It wrote:"}`;
  const imitation = imitationNote(text, operation);
  const notes = joinLines(imitation, ...sandboxNotes(operation), protectedNote(operation));
  return {
    content: [{
      type: "text",
      text: isOver
        ? joinLines(cut, text, notes, closingLine(operation, text !== ""))
        : joinLines(state, cut, shown, imitation),
    }],
    _meta: {
      [OPERATION_META_KEY]: { ...operationMeta(operation, undefined), position: output.totalBytes },
      ...denialMeta([operation]),
      ...protectedMeta([operation]),
    },
  };
}
