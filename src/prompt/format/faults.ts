/** Collects the faults of a hand-written file while it is read (Q1, Q6). Pure. */
import type { Diagnostic } from "../../base/diagnostic.ts";
import { truncate } from "../../base/text.ts";
import { hiddenCharacter, visibleText } from "../../base/visible_text.ts";

const LONGEST_MESSAGE = 500;
const MOST_DIAGNOSTICS = 20;

/** A place in a file, counted from 1. */
export type Place = Pick<Diagnostic, "line" | "column">;

/** Reports a fault; returns undefined, so that a caller can return the call. */
export type ReportFault = (severity: Diagnostic["severity"], message: string, place: Place) => undefined;

/** A list of faults of a file, and the function that adds one, cleaned and bounded. */
export function collectFaults(file: string): { readonly diagnostics: Diagnostic[]; readonly report: ReportFault } {
  const diagnostics: Diagnostic[] = [];
  const report: ReportFault = (severity, message, { line, column }) => {
    const words = truncate(visibleText(message).toWellFormed(), LONGEST_MESSAGE);
    if (diagnostics.length < MOST_DIAGNOSTICS) {
      diagnostics.push({ severity, file, pointer: "", line, column, message: words });
    }
    return undefined;
  };
  return { diagnostics, report };
}

/** Refuses hidden characters: they could carry words to the model that a reader of the file does not see. */
export function reportHidden(
  text: string,
  { noun, linesBefore }: { readonly noun: string; readonly linesBefore: number },
  report: ReportFault,
): void {
  const hidden = hiddenCharacter(text);
  if (hidden === undefined) return;
  const index = text.split("\n").findIndex((line) => hiddenCharacter(line) !== undefined);
  const message = `The ${noun} holds the hidden character ${hidden}: remove it`;
  report("error", message, { line: linesBefore + index + 1, column: 1 });
}
