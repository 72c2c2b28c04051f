/** Reads a PDF in a thread, which ends with the call or its time (K3). */
import { UserError } from "../../base/errors.ts";
import { boundBytes } from "../thread/bound_bytes.ts";
import { inThread } from "../thread/in_thread.ts";
import { type PdfTask, type PdfText, pdfText } from "./pdf_text.ts";

/** A PDF may take so long, milliseconds. */
const LONGEST_MS = 30_000;

const readInThread = inThread(import.meta.url, "pdf", async (task: PdfTask) => {
  boundBytes();
  return await pdfText(task);
});

export interface PdfLimits {
  readonly signal: AbortSignal;
  /** Milliseconds for all of its pages; absent: thirty seconds. */
  readonly longestMs?: number;
}

/** The pages of a range. `shown` names the file. @throws {UserError} When there are none, it is no PDF, or takes too long. */
export async function readPdf(
  task: PdfTask,
  shown: string,
  { signal, longestMs = LONGEST_MS }: PdfLimits,
): Promise<PdfText> {
  const limit = AbortSignal.timeout(longestMs);
  const read = await readInThread(task, AbortSignal.any([signal, limit]));
  if (read.ok) return read.value;
  const problem = limit.aborted
    ? `it took longer than ${longestMs / 1000} s; "pages" asks for fewer pages, encoding "base64" for its bytes`
    : read.problem;
  throw new UserError(`Cannot read "${shown}": ${problem}`);
}
