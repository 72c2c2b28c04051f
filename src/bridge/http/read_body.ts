/** Reads request bodies within limits of size, of total size and of time (C2, H8). */
import { concatenate } from "../../base/bytes.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";

/** The largest message, in bytes. */
export const LARGEST_BODY = 16 * 1024 * 1024;

interface BodyLimits {
  /** Bytes of one body. */
  readonly largest: number;
  /** Bytes of all bodies that are being read, without the part of each that is always read. */
  readonly together: number;
  /** Bytes of each body that are always read; most messages are no larger, so other bodies never delay them. */
  readonly beginning: number;
  /** Milliseconds for one body. */
  readonly timeMs: number;
}

const DEFAULT_LIMITS: BodyLimits = {
  largest: LARGEST_BODY,
  together: 4 * LARGEST_BODY,
  beginning: 64 * 1024,
  timeMs: 60_000,
};

export type BodyProblem = "too_large" | "too_many" | "too_slow";

/** Reads the bodies of one server. */
export class BodyReader {
  readonly #limits: BodyLimits;
  #held = 0;

  constructor(limits: BodyLimits = DEFAULT_LIMITS) {
    this.#limits = limits;
  }

  /** Reads the body of a request. Rejects when the client disconnects. */
  async read(request: Request): Promise<Outcome<Uint8Array, BodyProblem>> {
    const { largest, timeMs } = this.#limits;
    if (Number(request.headers.get("content-length")) > largest) return failure("too_large");
    if (request.body === null) return success(new Uint8Array(0));
    const reader = request.body.getReader();
    const late = Promise.withResolvers<"late">();
    const timer = setTimeout(() => late.resolve("late"), timeMs);
    try {
      return await this.#readAll(reader, late.promise);
    } finally {
      clearTimeout(timer);
      reader.releaseLock();
    }
  }

  async #readAll(
    reader: ReadableStreamDefaultReader<Uint8Array>,
    late: Promise<"late">,
  ): Promise<Outcome<Uint8Array, BodyProblem>> {
    const { largest, together, beginning } = this.#limits;
    const chunks: Uint8Array[] = [];
    let size = 0;
    let counted = 0;
    try {
      for (;;) {
        const next = await Promise.race([reader.read(), late]);
        if (next === "late") return failure("too_slow");
        if (next.done) return success(concatenate(chunks));
        size += next.value.length;
        if (size > largest) return failure("too_large");
        const more = Math.max(0, size - beginning) - counted;
        if (this.#held + more > together) return failure("too_many");
        counted += more;
        this.#held += more;
        chunks.push(next.value);
      }
    } finally {
      this.#held -= counted;
    }
  }
}
