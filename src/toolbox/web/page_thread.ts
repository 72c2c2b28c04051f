/**
 * The thread that parses a page, which is ended from outside when that takes too long. It loads the module that holds
 * this file, so that a packed worker needs no second one.
 */
import { messageOf } from "../../base/errors.ts";
import { type PageText, pageText } from "./page_text.ts";

/** To the thread: once. */
export interface PageTask {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  readonly url: string;
}

/** From the thread: once. */
export type PageMessage =
  | { readonly kind: "text"; readonly text: PageText | undefined }
  | { readonly kind: "problem"; readonly problem: string };

/** What a thread has in addition to a program. */
interface ThreadScope {
  onmessage: (event: { readonly data: PageTask }) => void;
  postMessage(message: PageMessage): void;
}

/** Address of the module that a thread begins with. */
export const PAGE_MODULE: string = import.meta.url;
/** Name of the thread, which tells it what it is for. */
export const PAGE_THREAD = "page";

if ("WorkerGlobalScope" in globalThis && globalThis.name === PAGE_THREAD) {
  const scope = globalThis as unknown as ThreadScope; // a thread's own, which the types of programs lack
  scope.onmessage = async ({ data }) => scope.postMessage(await parsed(data));
}

async function parsed({ bytes, contentType, url }: PageTask): Promise<PageMessage> {
  try {
    return { kind: "text", text: await pageText(bytes, contentType, new URL(url)) };
  } catch (thrown) {
    return { kind: "problem", problem: messageOf(thrown) };
  }
}
