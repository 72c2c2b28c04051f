/** Parses a page in a thread, which ends with the time of the call (K5). */
import { UserError } from "../../base/errors.ts";
import { boundBytes } from "../thread/bound_bytes.ts";
import { inThread } from "../thread/in_thread.ts";
import { type PageText, pageText } from "./page_text.ts";

/** A page as it came. */
export interface PageTask {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  readonly url: string;
}

const parseInThread = inThread(
  import.meta.url,
  "page",
  async ({ bytes, contentType, url }: PageTask) => {
    boundBytes();
    return await pageText(bytes, contentType, new URL(url));
  },
);

/** The text of a page; undefined: it has none. @throws {UserError} When it cannot be parsed, or the call ends before. */
export async function parsePage(task: PageTask, signal: AbortSignal): Promise<PageText | undefined> {
  const parsed = await parseInThread(task, signal);
  if (parsed.ok) return parsed.value;
  throw new UserError(`The page cannot be parsed: ${parsed.problem}; "raw" shows its source`);
}
