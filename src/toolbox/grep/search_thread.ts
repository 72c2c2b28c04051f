/**
 * The thread of a search without `rg`, which is ended from outside when a pattern takes too long. It loads the module
 * that holds this file, so that a packed worker needs no second one.
 */
import { messageOf, UserError } from "../../base/errors.ts";
import type { WorkerSetup } from "../frame/messages.ts";
import { Project } from "../project/project.ts";
import { isThread } from "../thread/in_thread.ts";
import type { FoundFile } from "./found_lines.ts";
import type { SearchEnd, SearchRequest } from "./search.ts";
import { searchByWalk } from "./walk_search.ts";

/** To the thread: once. */
export interface ThreadTask {
  readonly setup: WorkerSetup;
  readonly request: SearchRequest;
}

/** From the thread; `end` or `problem` is the last. */
export type ThreadMessage =
  | { readonly kind: "file"; readonly file: FoundFile }
  | { readonly kind: "alive" }
  | { readonly kind: "end"; readonly end: SearchEnd }
  | { readonly kind: "problem"; readonly text: string };

/** What a thread has in addition to a program. */
interface ThreadScope {
  onmessage: (event: { readonly data: ThreadTask }) => void;
  postMessage(message: ThreadMessage): void;
}

/** Address of the module that a thread begins with. */
export const THREAD_MODULE: string = import.meta.url;

const ALIVE_MS = 250;

/** Name of the thread, which tells it what it is for. */
export const SEARCH_THREAD = "search";

if (isThread() && globalThis.name === SEARCH_THREAD) {
  const scope = globalThis as unknown as ThreadScope; // a thread's own, which the types of programs lack
  scope.onmessage = ({ data }) => void serveSearch(data, (message) => scope.postMessage(message));
}

async function serveSearch({ setup, request }: ThreadTask, post: (message: ThreadMessage) => void): Promise<void> {
  const project = new Project(setup);
  let last = Date.now();
  const onSearched = () => {
    if (Date.now() - last < ALIVE_MS) return;
    last = Date.now();
    post({ kind: "alive" });
  };
  try {
    const end = await searchByWalk(project, request, { onFile: (file) => post({ kind: "file", file }), onSearched });
    post({ kind: "end", end });
  } catch (thrown) {
    post({
      kind: "problem",
      text: thrown instanceof UserError ? thrown.message : `The search failed: ${messageOf(thrown)}`,
    });
  } finally {
    project[Symbol.dispose]();
  }
}
