/** Main module of a helper, a process of a worker in the same sandbox. */
import { type PdfTask, pdfText } from "../files/pdf_text.ts";
import { searchWork } from "../grep/walk_search.ts";
import { serveHelper } from "../helper/serve_helper.ts";
import { ruleWork } from "../rules/engine/rule_work.ts";
import { pagePart, type PageTask } from "../web/page_text.ts";

function write(frame: Uint8Array): void {
  for (let at = 0; at < frame.length;) at += Deno.stdout.writeSync(frame.subarray(at));
}

await serveHelper(Deno.stdin.readable, write, (setup, hooks) => ({
  page: (task: PageTask, bytes) => pagePart(bytes, task),
  pdf: (task: PdfTask, bytes) => pdfText(bytes, task),
  search: searchWork(setup, hooks),
  rules: ruleWork(setup, hooks),
}));
