import assert from "node:assert/strict";
import { encodeText } from "../../base/text.ts";
import { endlessPdf, pdfOf } from "./_support/pdf_of.ts";
import { readPdf } from "./read_pdf.ts";

const { signal } = new AbortController();

Deno.test("K3 a PDF that its parser does not finish ends with its time or call, and others are read meanwhile", async () => {
  const endless = task(endlessPdf());
  const abort = new AbortController();
  const ended = assert.rejects(readPdf(endless, "endless.pdf", { signal: abort.signal }), {
    name: "UserError",
    message: 'Cannot read "endless.pdf": the call has ended',
  });
  const late = assert.rejects(readPdf(endless, "endless.pdf", { signal, longestMs: 100 }), {
    name: "UserError",
    message: 'Cannot read "endless.pdf": it took longer than 0.1 s; ' +
      '"pages" asks for fewer pages, encoding "base64" for its bytes',
  });
  const read = await readPdf(task(pdfOf(["a", "b"]), "2"), "short.pdf", { signal });
  assert.deepEqual(read, { text: "--- page 2 ---\nb\n", total: 2 });
  abort.abort();
  await Promise.all([ended, late]);
});

function task(text: string, range?: string) {
  return { bytes: encodeText(text), range };
}
