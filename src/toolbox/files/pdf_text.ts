/** The text of a PDF by page. */
import { unwrapOrUserError } from "../../base/outcome.ts";
import { pageRange } from "./read_pages.ts";

export interface PdfTask {
  /** As in "1-5"; undefined: all. */
  readonly range: string | undefined;
}

export interface PdfText {
  readonly text: string;
  /** Pages of the document. */
  readonly total: number;
}

/** The pages of a range; their parser may run forever. @throws {Error} When there are none, or it is not a PDF. */
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

/** Silences the package's warnings on stderr, which a damaged file causes without end. */
const ERRORS_ONLY = 0;
