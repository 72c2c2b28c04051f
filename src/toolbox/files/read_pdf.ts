/** Reads a PDF in a helper, which ends with the call or at its time limit (K3). */
import { UserError } from "../../base/errors.ts";
import type { Helpers } from "../helper/helpers.ts";
import type { PdfTask, PdfText } from "./pdf_text.ts";

/** Time limit for a PDF, milliseconds. */
const LONGEST_MS = 30_000;

/** A PDF that was read. */
export interface PdfFile extends PdfTask {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Its name in messages. */
  readonly shown: string;
}

export interface PdfLimits {
  readonly signal: AbortSignal;
  /** Time limit for all of its pages, milliseconds; absent: thirty seconds. */
  readonly longestMs?: number;
}

/**
 * The pages of a range. `shown` names the file. @throws {UserError} When there are none, it is not a PDF, or it takes
 * too long.
 */
export async function readPdf(
  helpers: Helpers,
  { bytes, range, shown }: PdfFile,
  { signal, longestMs = LONGEST_MS }: PdfLimits,
): Promise<PdfText> {
  const read = await helpers.ask<PdfText>("pdf", { range } satisfies PdfTask, { bytes, signal, longestMs });
  if (read.ok) return read.value;
  const { kind, text } = read.problem;
  const problem = kind === "late"
    ? `it took longer than ${longestMs / 1000} s; "pages" asks for fewer pages, encoding "base64" for its bytes`
    : text;
  throw new UserError(`Cannot read "${shown}": ${problem}`);
}
