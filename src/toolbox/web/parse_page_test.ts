import assert from "node:assert/strict";
import { encodeText } from "../../base/text.ts";
import { endlessPdf } from "../files/_support/pdf_of.ts";
import { parsePage } from "./parse_page.ts";

Deno.test("K5 a page that its parser does not finish ends with its call, and the next one is parsed", async () => {
  const abort = new AbortController();
  const endless = parsePage(page(endlessPdf(5), "application/pdf"), abort.signal);
  const ended = assert.rejects(endless, {
    message: 'The page cannot be parsed: the call has ended; "raw" shows its source',
  });
  const { signal } = new AbortController();
  assert.deepEqual(await parsePage(page("<title>A</title><p>b", "text/html"), signal), { title: "A", text: "b" });
  abort.abort();
  await ended;
  await assert.rejects(parsePage(page("%PDF-1.4 broken", "application/pdf"), signal), /^UserError: The page cannot be/);
});

function page(text: string, contentType: string) {
  return { bytes: encodeText(text), contentType, url: "https://a.example/" };
}
