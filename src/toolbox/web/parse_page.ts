/** Parses a page in a thread, which ends with the time of the call: a page of others may take a parser without end (K5). */
import { UserError } from "../../base/errors.ts";
import type { PageText } from "./page_text.ts";
import { PAGE_MODULE, PAGE_THREAD, type PageMessage, type PageTask } from "./page_thread.ts";

/** The text of a page; undefined: it has none. @throws {UserError} When it cannot be parsed, or the call ends before. */
export async function parsePage(task: PageTask, signal: AbortSignal): Promise<PageText | undefined> {
  const thread = new Worker(PAGE_MODULE, { type: "module", name: PAGE_THREAD });
  const { promise, resolve, reject } = Promise.withResolvers<PageText | undefined>();
  const fail = (problem: string) =>
    reject(new UserError(`The page cannot be parsed: ${problem}; "raw" shows its source`));
  const cancel = () => fail("the call has ended");
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  thread.onmessage = ({ data }: MessageEvent<PageMessage>) => {
    if (data.kind === "text") resolve(data.text);
    else fail(data.problem);
  };
  thread.onerror = (event) => {
    event.preventDefault();
    fail(event.message);
  };
  try {
    thread.postMessage(task);
    return await promise;
  } finally {
    signal.removeEventListener("abort", cancel);
    thread.terminate();
  }
}
