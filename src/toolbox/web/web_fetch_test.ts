import assert from "node:assert/strict";
import { encodeText } from "../../base/text.ts";
import { endlessPdf } from "../files/_support/pdf_of.ts";
import { helpersForTests } from "../helper/_support/helpers.ts";
import type { Helpers } from "../helper/helpers.ts";
import type { PageTask } from "./page_text.ts";
import { type PageLimits, parsePage } from "./web_fetch.ts";

const { signal } = new AbortController();

interface Asked extends Partial<PageLimits>, Partial<PageTask> {
  readonly type?: string;
}

function parse(helpers: Helpers, text: string, { type = "text/html", ...asked }: Asked = {}) {
  const { raw = false, from = 0, length = 9, ...limits } = asked;
  const task = { contentType: type, url: "https://a.example/", raw, from, length };
  return parsePage(helpers, encodeText(text), task, { signal, ...limits });
}

Deno.test("K5 a page that its parser does not finish ends with its call or time, and the next one is parsed", async () => {
  await using helpers = helpersForTests();
  const abort = new AbortController();
  const endless = { type: "application/pdf" };
  const ended = assert.rejects(parse(helpers, endlessPdf(), { ...endless, signal: abort.signal }), {
    message: 'The page cannot be parsed: the call has ended; "raw" shows its source',
  });
  const late = assert.rejects(parse(helpers, endlessPdf(), { ...endless, longestMs: 100 }), {
    message: 'The page cannot be parsed: it took longer than 0.1 s; "timeout" allows more, "raw" shows its source',
  });
  const next = parse(helpers, "<title>A</title><p>b");
  abort.abort();
  await Promise.all([ended, late]);
  assert.deepEqual(await next, { title: "A", text: "b", total: 1 });
  await assert.rejects(parse(helpers, "%PDF-1.4 broken", endless), /^UserError: The page cannot be/);
  assert.equal(await parse(helpers, "\0", { type: "text/plain" }), undefined);
  assert.equal((await parse(helpers, "<p>b", { raw: true }))?.text, "<p>b");
  assert.deepEqual(await parse(helpers, "a\u200bbcd", { type: "text/plain", from: 1, length: 2 }), {
    text: "bc",
    total: 4,
  });
});

Deno.test("K5 a page that takes more memory than a helper may have is told, and the next one is parsed", async () => {
  await using helpers = helpersForTests();
  const tooMuch = "The page cannot be parsed: it takes more than 280 MiB of memory, or crashes the parser;";
  const indented = `${"[".repeat(2_000)}${"0,".repeat(100_000)}0${"]".repeat(2_000)}`;
  const pages = [
    assert.rejects(parse(helpers, indented, { type: "application/json" }), {
      message: `${tooMuch} "raw" shows its source`,
    }),
    assert.rejects(parse(helpers, "\u202e".repeat(20_000_000), { raw: true }), {
      message: `${tooMuch} "max_content_length" reads less of it`,
    }),
  ];
  assert.equal((await parse(helpers, "<p>b"))?.text, "b");
  await Promise.all(pages);
});
