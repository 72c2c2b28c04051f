/** Finds the marks in the output of a lasting shell (B5). Pure. */
import { concatenate } from "../../base/bytes.ts";
import { encodeText } from "../../base/text.ts";
import { LONGEST_FACTS, markHead } from "./shell_text.ts";

/** A line has ended. */
export interface Mark {
  /** Which. */
  readonly number: number;
  readonly exitCode: number;
  /** Where the shell is. */
  readonly directory: string;
}

export type Part = { readonly output: Uint8Array } | { readonly mark: Mark };

const FACTS = /^(\d+) (\d+) ([^]*)$/;

/** Takes output in chunks of any size, and gives it back in order without the marks. */
export class MarkReader {
  readonly #head: Uint8Array;
  #pending: Uint8Array = new Uint8Array(0);

  constructor(secret: string) {
    this.#head = encodeText(markHead(secret));
  }

  /** What `chunk` completes. A possible beginning of a mark is held back until it is certain. */
  read(chunk: Uint8Array): readonly Part[] {
    let bytes = this.#pending.length === 0 ? chunk : concatenate([this.#pending, chunk]);
    const parts: Part[] = [];
    for (;;) {
      const at = this.#find(bytes);
      if (at > 0) parts.push({ output: bytes.subarray(0, at) });
      bytes = bytes.subarray(at);
      const facts = bytes.subarray(this.#head.length);
      const end = facts.indexOf(0);
      if (end < 0 && facts.length <= LONGEST_FACTS) break;
      const mark = end < 0 ? undefined : readFacts(facts.subarray(0, end));
      // A false mark: its first byte is output, and the rest is scanned again.
      parts.push(mark === undefined ? { output: bytes.subarray(0, 1) } : { mark });
      bytes = bytes.subarray(mark === undefined ? 1 : this.#head.length + end + 1);
    }
    this.#pending = bytes.slice();
    return parts;
  }

  /** What is left when nothing follows. */
  rest(): Uint8Array {
    const rest = this.#pending;
    this.#pending = new Uint8Array(0);
    return rest;
  }

  /** Where the first mark, or a possible one, begins; the length if there is none. */
  #find(bytes: Uint8Array): number {
    const [first = 0] = this.#head;
    for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
      const length = Math.min(this.#head.length, bytes.length - at);
      if (this.#head.subarray(0, length).every((byte, index) => byte === bytes[at + index])) return at;
    }
    return bytes.length;
  }
}

function readFacts(facts: Uint8Array): Mark | undefined {
  const [, number, exitCode, directory] = FACTS.exec(new TextDecoder().decode(facts)) ?? [];
  if (number === undefined || exitCode === undefined || directory === undefined) return undefined;
  return { number: Number(number), exitCode: Number(exitCode), directory };
}
