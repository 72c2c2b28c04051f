/** The text of a PDF by page. */
import { messageOf, UserError } from "../../base/errors.ts";
import { pageRange } from "./read_pages.ts";

export interface PdfText {
  readonly text: string;
  /** Pages of the document. */
  readonly total: number;
}

/** The pages of `range`. `shown` names the file. @throws {UserError} When there are none, or it is no PDF. */
export async function pdfText(
  bytes: Uint8Array<ArrayBuffer>,
  range: string | undefined,
  shown: string,
): Promise<PdfText> {
  const { getDocumentProxy } = await import("unpdf");
  const document = await getDocumentProxy(bytes).catch((thrown) => {
    throw new UserError(`Cannot read "${shown}": ${messageOf(thrown)}`);
  });
  try {
    const total = document.numPages;
    const pages = pageRange(range, total);
    if (!pages.ok) throw new UserError(`Cannot read "${shown}": ${pages.problem}`);
    const parts: string[] = [];
    for (let number = pages.value.from; number <= pages.value.to; number++) {
      const { items } = await (await document.getPage(number)).getTextContent();
      const text = items.map((item) => "str" in item ? `${item.str}${item.hasEOL ? "\n" : ""}` : "").join("");
      parts.push(`--- page ${number} ---\n${text.trimEnd()}\n`);
    }
    return { text: parts.join(""), total };
  } finally {
    await document.loadingTask.destroy();
  }
}
