/**
 * Counts what JSON holds before anything parses it, from its bytes as they come. Text that is not JSON has counts too, which
 * then say nothing: the parser refuses it.
 */
import { concatenate } from "../base/bytes.ts";
import { parseJson } from "./json_value.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;

/** Bytes of a text that are examined one by one; the rest is searched for what matters, which is faster. */
const SHORT = 16;
/** Of an outline, bytes. The id of a message takes 6 KiB at most. */
const LONGEST_OUTLINE = 16 * 1024;

export class JsonScan {
  /** Bytes so far. */
  length = 0;
  /** Keys of objects and items of lists so far, of all levels. */
  members = 0;
  /** Objects and lists that lay inside each other so far. */
  deepest = 0;
  /** Escapes in texts so far; one of the form `\u65e5` counts as two. */
  escapes = 0;
  readonly #outline = new Outline();
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  /** Whether the innermost object or list has begun, and has no member yet. */
  #isEmpty = false;

  /**
   * The value without what its objects and lists hold: `{"a":1,"b":{}}` of `{"a":1,"b":{"c":2}}`. What is open counts as
   * closed. Undefined: it is not JSON so far, or its outline has more than 16 KiB.
   */
  get outline(): unknown {
    return this.#outline.value(this.#depth);
  }

  /** Takes the bytes that come next. */
  push(bytes: Uint8Array): void {
    let [members, escapes, depth, isInText, isEscaped, isEmpty] = this.#state();
    /** Where the bytes begin that belong to the outline; negative: these do not. */
    let start = depth < 2 ? 0 : -1;
    let [run, quote, backslash] = [0, -1, -1];
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (isInText) {
        if (isEscaped) {
          isEscaped = false;
          if (byte === U) escapes++;
        } else if (byte === BACKSLASH) {
          isEscaped = true;
          escapes++;
        } else if (byte === QUOTE) isInText = false;
        else if (++run === SHORT) {
          run = 0;
          // Each is searched for behind where it was found last, so that no byte is searched twice.
          if (quote < at) quote = placeOf(QUOTE, bytes, at);
          if (backslash < at) backslash = placeOf(BACKSLASH, bytes, at);
          at = Math.min(quote, backslash) - 1;
        }
        continue;
      }
      if (byte <= SPACE) continue;
      if (byte === COMMA) members++;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        isEmpty = false;
        if (--depth === 1) start = at;
      } else {
        if (isEmpty) members++;
        isEmpty = byte === OPEN_OBJECT || byte === OPEN_LIST;
        if (byte === QUOTE) [isInText, run] = [true, 0];
        if (!isEmpty) continue;
        if (++depth > this.deepest) this.deepest = depth;
        if (depth !== 2) continue;
        this.#outline.add(bytes, start, at + 1);
        start = -1;
      }
    }
    if (start >= 0) this.#outline.add(bytes, start, bytes.length);
    this.length += bytes.length;
    this.members = members;
    this.escapes = escapes;
    this.#depth = depth;
    this.#isInText = isInText;
    this.#isEscaped = isEscaped;
    this.#isEmpty = isEmpty;
  }

  #state(): [members: number, escapes: number, depth: number, isInText: boolean, isEscaped: boolean, isEmpty: boolean] {
    return [this.members, this.escapes, this.#depth, this.#isInText, this.#isEscaped, this.#isEmpty];
  }
}

/** Where it is from `at` on; the end: it is not. */
function placeOf(byte: number, bytes: Uint8Array, at: number): number {
  const found = bytes.indexOf(byte, at);
  return found < 0 ? bytes.length : found;
}

/** The bytes of a value outside of the objects and lists in it, with their brackets. */
class Outline {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  add(bytes: Uint8Array, start: number, end: number): void {
    this.#length += end - start;
    if (this.#length <= LONGEST_OUTLINE) this.#parts.push(bytes.slice(start, end));
  }

  /** `depth`: of what is open. */
  value(depth: number): unknown {
    if (this.#length > LONGEST_OUTLINE) return undefined;
    const text = new TextDecoder().decode(concatenate(this.#parts)).trim();
    const ends = [...depth > 1 ? [closing(text.at(-1))] : [], ...depth > 0 ? [closing(text.at(0))] : []];
    const parsed = parseJson(text + ends.join(""));
    return parsed.ok ? parsed.value : undefined;
  }
}

function closing(bracket: string | undefined): string {
  return bracket === "{" ? "}" : "]";
}
