/** Searches in a thread, which ends with its time (K3). */
import { UserError } from "../../base/errors.ts";
import type { WorkerSetup } from "../frame/messages.ts";
import { endThread } from "../thread/end_thread.ts";
import { SEARCH_THREAD, THREAD_MODULE, type ThreadMessage, type ThreadTask } from "./search_thread.ts";
import type { OnFile, SearchEnd, SearchRequest } from "./search.ts";

/** One file may take so long, milliseconds. */
const LONGEST_FILE_MS = 10_000;

/** Searches without `rg`; one file may take `longestMs`, ten seconds by default. @throws {UserError} When the pattern is wrong, or one file takes too long. */
export async function searchInThread(
  setup: WorkerSetup,
  request: SearchRequest,
  onFile: OnFile,
  { signal, longestMs = LONGEST_FILE_MS }: { readonly signal: AbortSignal; readonly longestMs?: number },
): Promise<SearchEnd> {
  const thread = new Worker(THREAD_MODULE, { type: "module", name: SEARCH_THREAD });
  const { promise, resolve, reject } = Promise.withResolvers<SearchEnd>();
  let isWorking = true;
  const late = () => {
    const seconds = longestMs / 1000;
    reject(
      new UserError(`The pattern "${request.query.pattern}" took longer than ${seconds} s on one file; simplify it`),
    );
  };
  let timer = setTimeout(late, longestMs);
  const cancel = () => reject(new UserError("The call was cancelled"));
  signal.addEventListener("abort", cancel, { once: true });
  thread.onmessage = ({ data }: MessageEvent<ThreadMessage>) => {
    clearTimeout(timer);
    timer = setTimeout(late, longestMs);
    isWorking = data.kind === "file";
    if (data.kind === "file") onFile(data.file);
    if (data.kind === "end") resolve(data.end);
    if (data.kind === "problem") reject(new UserError(data.text));
  };
  thread.onerror = (event) => {
    event.preventDefault();
    isWorking = false;
    reject(new Error(event.message));
  };
  try {
    thread.postMessage({ setup, request } satisfies ThreadTask);
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
    endThread(thread, { isWorking });
  }
}
