/** Reads request bodies within limits of size, of total size and of time (C2, H8). */
import { failure, type Outcome, success } from "../base/outcome.ts";
import type { WireMessage } from "../wire/json_rpc_message.ts";
import { LONGEST_MESSAGE } from "../wire/message_bounds.ts";
import { MessageReader } from "../wire/message_reader.ts";

/** This many bytes of each body are always read. Most messages fit, so large bodies never delay them. */
const BEGINNING = 64 * 1024;
const MOST_TOGETHER = 4 * LONGEST_MESSAGE;

export type BodyProblem = "too_large" | "too_many" | "too_slow";

type Body = NonNullable<Request["body"]>;

/** Reads the bodies of one server. */
export class BodyReader {
  /** Bytes of all bodies being read, apart from the bytes that are always read. */
  #held = 0;
  readonly #longestMs: number;

  /** `longestMs`: for one body, milliseconds. */
  constructor(longestMs = 60_000) {
    this.#longestMs = longestMs;
  }

  /** Reads the message in the body of a request. Rejects when the client disconnects. */
  async read(request: Request): Promise<Outcome<WireMessage, BodyProblem>> {
    const declared = Number(request.headers.get("content-length"));
    if (declared > LONGEST_MESSAGE) return failure("too_large");
    if (request.body === null) return success(new MessageReader().end());
    const late = Promise.withResolvers<"late">();
    const timer = setTimeout(() => late.resolve("late"), this.#longestMs);
    try {
      const isShort = declared > 0 && declared <= BEGINNING && !request.headers.has("transfer-encoding");
      return await (isShort ? readShort(request, late.promise) : this.#readAll(request.body, late.promise));
    } finally {
      clearTimeout(timer);
    }
  }

  async #readAll(body: Body, late: Promise<"late">): Promise<Outcome<WireMessage, BodyProblem>> {
    const reader = body.getReader();
    const message = new MessageReader();
    // Most bodies come in one part, which is not copied then.
    let last: Uint8Array<ArrayBuffer> = new Uint8Array(0);
    let size = 0;
    let counted = 0;
    try {
      for (;;) {
        const next = await Promise.race([reader.read(), late]);
        if (next === "late") return failure("too_slow");
        if (next.done) return success(message.end(last));
        size += next.value.length;
        if (size > LONGEST_MESSAGE) return failure("too_large");
        const more = Math.max(0, size - BEGINNING) - counted;
        if (this.#held + more > MOST_TOGETHER) return failure("too_many");
        counted += more;
        this.#held += more;
        if (last.length > 0) {
          message.push(last);
          last.buffer.transfer(0); // Its memory is given back at once.
        }
        last = next.value;
      }
    } finally {
      this.#held -= counted;
      reader.releaseLock();
    }
  }
}

/** Reads a small body of declared length at once and without a stream; the runtime accepts no more bytes. */
async function readShort(request: Request, late: Promise<"late">): Promise<Outcome<WireMessage, BodyProblem>> {
  const bytes = await Promise.race([request.bytes(), late]);
  return bytes === "late" ? failure("too_slow") : success(new MessageReader().end(bytes));
}
