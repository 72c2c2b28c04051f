import assert from "node:assert/strict";
import { encodeText } from "../../base/text.ts";
import { endlessPdf, packedPdf, pdfOf } from "./_support/pdf_of.ts";
import { helpersForTests } from "../helper/_support/helpers.ts";
import { readPdf } from "./read_file.ts";

const { signal } = new AbortController();
/** A busy machine takes long to start a process. */
const PATIENT = { signal, longestMs: 600_000 };

// A page that is a PDF ends with its call in the same way (web_fetch_test.ts).
Deno.test("K3 a PDF that its parser does not finish ends with its time, and the next one is read", async () => {
  await using helpers = helpersForTests();
  const read = (text: string, limits = PATIENT, range = "1") =>
    readPdf(helpers, { bytes: encodeText(text), range, shown: "a.pdf" }, limits);
  const late = assert.rejects(read(endlessPdf(), { signal, longestMs: 100 }), {
    name: "UserError",
    message: 'Cannot read "a.pdf": it took longer than 0.1 s; ' +
      '"pages" asks for fewer pages, encoding "base64" for its bytes',
  });
  const next = read(pdfOf(["a", "b"]), PATIENT, "2");
  await late;
  assert.deepEqual(await next, { text: "--- page 2 ---\nb\n", total: 2 });
});

Deno.test("K2 K3 a short PDF that stands for very much is refused, and one that is packed as often is read", async () => {
  const drawing = encodeText("BT /F1 12 Tf 72 720 Td (a) Tj ET");
  await using helpers = helpersForTests();
  const read = (text: string, shown: string) =>
    readPdf(helpers, { bytes: encodeText(text), range: undefined, shown }, PATIENT);
  assert.deepEqual(await read(packedPdf(drawing), "packed.pdf"), { text: "--- page 1 ---\na\n", total: 1 });
  const bomb = packedPdf(new Uint8Array(200_000_000).fill(0x20));
  assert.ok(bomb.length < 10_000);
  await assert.rejects(read(bomb, "bomb.pdf"), {
    name: "UserError",
    message: 'Cannot read "bomb.pdf": it takes more than 280 MiB of memory, or crashes the parser',
  });
});
