/** Lines of a command's output that read as if the server had written them, which may be meant to deceive. Pure. */
import type { Operation } from "../../operation/operation_record.ts";
import { visibleText } from "../../base/visible_text.ts";

/** How our own lines begin: facts of operations, headings of what follows, and closing lines. */
const OURS = new RegExp(
  "^[\\s>]*(?:" + [
    "\\[?op_(?:[0-9A-Z]{8}|[0-9A-Z]{26})\\b",
    "\\[(?:no output|completed|failed|cancelled|timed_out|exit code \\d|signal SIG|ended without|step \\d)",
    "(?:Ended since|Watched lines|Sandbox|Ended with the command|PROTECTED PATHS CHANGED):",
    "\\[?Lines of this output",
  ].join("|") + ")",
);
const NOTE = "[Lines of this output that look like the server's were written by the command.]";

/** What is said behind output with such lines, but for those that we wrote into it; empty: it has none. */
export function imitationNote(shown: string, { said }: Pick<Operation, "said">): string {
  const isImitated = visibleText(shown).split("\n").some((line) => OURS.test(line) && !said.has(line));
  return isImitated ? NOTE : "";
}
