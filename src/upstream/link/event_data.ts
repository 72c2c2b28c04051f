/** Finds the data in a stream of events (HTML, "Server-sent events") as its bytes come. */

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
const FIELD: readonly number[] = Array.from("data:", (character) => character.charCodeAt(0));
/** The one character that may stand before the first line. */
const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf];

/** `end`: where it ends in the chunk. */
export type EventPart =
  /** Of one line, or of a part of it. */
  | { readonly kind: "data"; readonly bytes: Uint8Array; readonly end: number }
  /** A line with nothing in it, which ends an event. */
  | { readonly kind: "blank"; readonly end: number };

export class EventData {
  /** Bytes of the mark so far; at its full length the first line has begun. */
  #mark = 0;
  /** Bytes of the line so far. */
  #column = 0;
  /** Bytes of the name of the field that the line begins with. */
  #matched = 0;
  /** Whether the last byte was a carriage return: a newline after it ends no further line. */
  #wasReturn = false;

  /** The parts that are in a chunk, in their order. */
  *push(chunk: Uint8Array): Generator<EventPart> {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (this.#isMark(byte)) continue;
      if (byte !== NEWLINE && byte !== CARRIAGE_RETURN) {
        this.#wasReturn = false;
        if (this.#matched === this.#column && byte === FIELD[this.#column]) this.#matched++;
        if (++this.#column === FIELD.length) start = at + 1;
        continue;
      }
      const isSecond = byte === NEWLINE && this.#wasReturn;
      this.#wasReturn = byte === CARRIAGE_RETURN;
      if (isSecond) continue;
      if (this.#isData) yield { kind: "data", bytes: chunk.subarray(start, at), end: at };
      if (this.#column === 0) yield { kind: "blank", end: at + 1 };
      this.#column = 0;
      this.#matched = 0;
    }
    if (this.#isData) yield { kind: "data", bytes: chunk.subarray(start), end: chunk.length };
  }

  get #isData(): boolean {
    return this.#matched === FIELD.length;
  }

  /** Whether the byte belongs to the mark; a part of one is a part of the line. */
  #isMark(byte: number): boolean {
    if (this.#mark === BYTE_ORDER_MARK.length) return false;
    if (byte === BYTE_ORDER_MARK[this.#mark]) {
      this.#mark++;
      return true;
    }
    this.#column = this.#mark;
    this.#mark = BYTE_ORDER_MARK.length;
    return false;
  }
}
