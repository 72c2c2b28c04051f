/** The helper's side: takes tasks from stdin and answers each on stdout. */
import { attempt, messageOf } from "../../base/errors.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { boundMemory } from "./bound_memory.ts";
import { encodeFrame, FrameReader, LONGEST_ANSWER } from "../frame/frames.ts";
import type { WorkerSetup } from "../frame/messages.ts";
import { type FromHelper, HELPER_MEBIBYTES, type HelperWorks, type ToHelper, type WorkHooks } from "./messages.ts";

/** A helper that uses more memory than this after a task is spent, bytes. The runtime itself uses some 70 MiB. */
const LARGE_BYTES = 160 * 1024 * 1024;

/** Serves until stdin ends. `write` is synchronous: the work may never end. Rejections in packages are ignored. */
export async function serveHelper(
  input: ReadableStream<Uint8Array>,
  write: (frame: Uint8Array<ArrayBuffer>) => void,
  worksOf: (setup: WorkerSetup, hooks: WorkHooks) => HelperWorks,
): Promise<void> {
  globalThis.addEventListener("unhandledrejection", (event) => event.preventDefault());
  boundMemory(HELPER_MEBIBYTES);
  const reader = new FrameReader();
  const send = (message: FromHelper) => write(encodeFrame(message, LONGEST_ANSWER));
  let isSpent = false;
  const hooks: WorkHooks = { post: (part) => send({ part }), spend: () => isSpent = true };
  let works: HelperWorks | undefined;
  let bytes = new Uint8Array();
  send({ ready: true });
  for await (const chunk of input) {
    for (const message of reader.push(chunk) as readonly (ToHelper | Uint8Array<ArrayBuffer>)[]) { // our own program's
      if (message instanceof Uint8Array) bytes = message;
      else if ("setup" in message) works = worksOf(message.setup, hooks);
      else if (works !== undefined) {
        const end = await works[message.kind](message.task as never, bytes).then(
          success,
          (thrown: unknown) => failure(messageOf(thrown)),
        );
        bytes = new Uint8Array();
        isSpent ||= Deno.memoryUsage().rss > LARGE_BYTES;
        write(lastFrame(end, isSpent));
      }
    }
  }
}

function lastFrame(end: Outcome<unknown>, isSpent: boolean): Uint8Array<ArrayBuffer> {
  return attempt(RangeError, () => encodeFrame({ end, isSpent } satisfies FromHelper, LONGEST_ANSWER)) ??
    encodeFrame({ end: failure("the result is too long: ask for a part"), isSpent } satisfies FromHelper);
}
