/**
 * Counts the parts of JSON from its bytes as they arrive, before it is parsed. Text that is not JSON gets counts without
 * meaning: the parser refuses it later.
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

/** This many bytes of a string are examined one by one. The rest is searched for special bytes, which is faster. */
const SHORT = 16;
/** The longest outline, bytes. The id of a message takes at most 6 KiB. */
const LONGEST_OUTLINE = 16 * 1024;

export class JsonScan {
  /** Bytes so far. */
  length = 0;
  /** Keys of objects and items of lists so far, of all levels. */
  members = 0;
  /** The deepest nesting of objects and lists so far. */
  deepest = 0;
  /** Escapes in strings so far; one of the form `\u65e5` counts as two. */
  escapes = 0;
  readonly #outline = new Outline();
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  /** Whether the innermost open object or list is still empty. */
  #isEmpty = false;

  /**
   * The value without the contents of its inner objects and lists: `{"a":1,"b":{}}` of `{"a":1,"b":{"c":2}}`. Open
   * brackets count as closed. Undefined: it is not JSON so far, or its outline has more than 16 KiB.
   */
  get outline(): unknown {
    return this.#outline.value(this.#depth);
  }

  /** Reads the next bytes. */
  push(bytes: Uint8Array): void {
    let [members, escapes, depth, isInText, isEscaped, isEmpty] = this.#state();
    /** Start of the bytes that belong to the outline; negative: the current ones do not. */
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
          // Each search continues where the last one ended, so that no byte is searched twice.
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

/** Its first index from `at` on; the length if it is missing. */
function placeOf(byte: number, bytes: Uint8Array, at: number): number {
  const found = bytes.indexOf(byte, at);
  return found < 0 ? bytes.length : found;
}

/** Collects the bytes of a value outside its inner objects and lists, including their brackets. */
class Outline {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  add(bytes: Uint8Array, start: number, end: number): void {
    this.#length += end - start;
    if (this.#length <= LONGEST_OUTLINE) this.#parts.push(bytes.slice(start, end));
  }

  /** `depth`: of the open brackets. */
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
