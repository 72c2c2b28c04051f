/** Detects lines of a command's output that imitate the server's own lines, perhaps to deceive. Pure. */
import type { Operation } from "../../operation/operation_record.ts";
import { visibleText } from "../../base/visible_text.ts";

/** The beginnings of our own lines: facts of operations, headings, and closing lines. */
const OURS = new RegExp(
  "^[\\s>]*(?:" + [
    "\\[?op_(?:[0-9A-Z]{8}|[0-9A-Z]{26})\\b",
    "\\[(?:no output|completed|failed|cancelled|timed_out|exit code \\d|signal SIG|ended without|step \\d|script: \\d)",
    "(?:Ended since|Watched lines|Sandbox|Ended with the command|PROTECTED PATHS CHANGED):",
    "\\[?Lines of this output",
  ].join("|") + ")",
);
const NOTE = "[Lines of this output that look like the server's were written by the command.]";

/** The warning after output with such lines, apart from those that we wrote; empty: there are none. */
export function imitationNote(shown: string, { said }: Pick<Operation, "said">): string {
  const isImitated = visibleText(shown).split("\n").some((line) => OURS.test(line) && !said.has(line));
  return isImitated ? NOTE : "";
}
