import assert from "node:assert/strict";
import { encodeText } from "../../base/text.ts";
import { endlessPdf, packedPdf, pdfOf } from "./_support/pdf_of.ts";
import { readPdf } from "./read_pdf.ts";

const { signal } = new AbortController();
/** A busy machine takes long to start a thread. */
/** So that a thread which the runtime does not stop comes to its end. */
const LEVELS = 5;
const PATIENT = { signal, longestMs: 600_000 };

Deno.test("K3 a PDF that its parser does not finish ends with its time or call, and others are read meanwhile", async () => {
  const endless = task(endlessPdf(LEVELS));
  const abort = new AbortController();
  const ended = assert.rejects(readPdf(endless, "endless.pdf", { ...PATIENT, signal: abort.signal }), {
    name: "UserError",
    message: 'Cannot read "endless.pdf": the call has ended',
  });
  const late = assert.rejects(readPdf(endless, "endless.pdf", { signal, longestMs: 100 }), {
    name: "UserError",
    message: 'Cannot read "endless.pdf": it took longer than 0.1 s; ' +
      '"pages" asks for fewer pages, encoding "base64" for its bytes',
  });
  const read = await readPdf(task(pdfOf(["a", "b"]), "2"), "short.pdf", PATIENT);
  assert.deepEqual(read, { text: "--- page 2 ---\nb\n", total: 2 });
  abort.abort();
  await Promise.all([ended, late]);
});

Deno.test("K2 K3 a short PDF that stands for very much is refused, and one that is packed as often is read", async () => {
  const drawing = encodeText("BT /F1 12 Tf 72 720 Td (a) Tj ET");
  const read = await readPdf(task(packedPdf(drawing)), "packed.pdf", PATIENT);
  assert.deepEqual(read, { text: "--- page 1 ---\na\n", total: 1 });
  const bomb = packedPdf(new Uint8Array(70_000_000).fill(0x20));
  assert.ok(bomb.length < 10_000);
  await assert.rejects(readPdf(task(bomb), "bomb.pdf", PATIENT), {
    name: "UserError",
    message: 'Cannot read "bomb.pdf": A part of it is longer than 64 MiB when it is unpacked',
  });
});

function task(text: string, range?: string) {
  return { bytes: encodeText(text), range };
}
