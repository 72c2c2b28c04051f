/** The text of a PDF by page. */
import { failure, type Outcome, success, unwrapOrUserError } from "../../base/outcome.ts";

export interface PdfTask {
  /** As in "1-5"; undefined: all. */
  readonly range: string | undefined;
}

export interface PdfText {
  readonly text: string;
  /** Number of pages of the document. */
  readonly total: number;
}

/** The text of a range of pages; the parser may never end. @throws {Error} When there are none, or it is not a PDF. */
export async function pdfText(bytes: Uint8Array<ArrayBuffer>, { range }: PdfTask): Promise<PdfText> {
  const { getDocumentProxy } = await import("unpdf");
  const document = await getDocumentProxy(bytes, { verbosity: ERRORS_ONLY });
  try {
    const total = document.numPages;
    const { from, to } = unwrapOrUserError(pageRange(range, total));
    const parts: string[] = [];
    for (let number = from; number <= to; number++) {
      const { items } = await (await document.getPage(number)).getTextContent();
      const text = items.map((item) => "str" in item ? `${item.str}${item.hasEOL ? "\n" : ""}` : "").join("");
      parts.push(`--- page ${number} ---\n${text.trimEnd()}\n`);
    }
    return { text: parts.join(""), total };
  } finally {
    await document.loadingTask.destroy();
  }
}

/** Silences the package's warnings on stderr; a damaged file causes countless ones. */
const ERRORS_ONLY = 0;

/** At most this many pages are returned at once. */
const MOST_PAGES = 20;

interface PageRange {
  readonly from: number;
  readonly to: number;
}

/** The pages of `range` ("3" or "1-5"; undefined: all) in a document of `total`; the problem follows a colon. */
export function pageRange(range: string | undefined, total: number): Outcome<PageRange> {
  if (range === undefined) {
    return total <= MOST_PAGES
      ? success({ from: 1, to: total })
      : failure(`it has ${total} pages; name at most ${MOST_PAGES} of them, as in pages "1-${MOST_PAGES}"`);
  }
  const [, first, last] = /^\s*(\d{1,6})\s*(?:-\s*(\d{1,6}))?\s*$/.exec(range) ?? [];
  const from = Number(first);
  const to = Math.min(Number(last ?? first), total);
  if (first === undefined || from < 1 || from > to) {
    return failure(`pages "${range}" is not a range of its ${total} pages, such as "1-5"`);
  }
  return to - from < MOST_PAGES
    ? success({ from, to })
    : failure(`pages "${range}" are more than ${MOST_PAGES} pages; ask for fewer at a time`);
}
