/** The note about a command that waits for input (X23). Queries the kernel, otherwise pure. */
import type { Operation } from "../../operation/operation_record.ts";
import { cleanText } from "../../operation/output/clean_text.ts";
import { shorten } from "../../base/visible_text.ts";

/** Maximum length of a shown question, characters. */
const LONGEST_QUESTION = 120;
/** How much of the end of the output is searched for the question. */
const QUESTION_BYTES = 2_048;

/** `waits for input: "Proceed? [y/N]"`, or that a password is asked; undefined: it does not wait, or that is not known. */
export function inputNote({ command, output, typedAtBytes }: Operation): string | undefined {
  if (command?.input === undefined || command.inputWait() === undefined) return undefined;
  const written = output.droppedBytes === 0 && output.tail().length === 0 ? output.head() : output.tail();
  // An answered question is not repeated; on a pipe it is on the same line.
  const bytes = Math.min(QUESTION_BYTES, written.length, output.totalBytes - typedAtBytes);
  const lines = cleanText(written.slice(written.length - bytes), { keepAnsi: false }).split("\n");
  const question = lines.findLast((line) => line.trim() !== "")?.trim() ?? "";
  const shown = question === "" ? "" : `: ${JSON.stringify(shorten(question, LONGEST_QUESTION))}`;
  return command.input.terminal?.hidesInput === true
    ? `asks for a password${shown}. A person must give it: it is never shown`
    : `waits for input${shown}`;
}

/** `text` without the unfinished line at its end, if `note` quotes that line already. */
export function withoutQuestion(text: string, note: string): string {
  const start = text.lastIndexOf("\n") + 1;
  const last = text.slice(start).trim();
  return last !== "" && note.includes(`: ${JSON.stringify(last)}`) ? text.slice(0, start) : text;
}
