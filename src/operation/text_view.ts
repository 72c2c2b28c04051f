/**
 * The inline view of an output (X4): at most so many bytes and lines, whole lines from the beginning and the end, and
 * between them one line that says how much was left out. Clients cut long texts in the middle themselves; doing it
 * here keeps the ends and tells the truth about the rest.
 */
import { type CleanOptions, cleanText } from "./clean_text.ts";
import { countNewlines } from "./newlines.ts";
import type { OutputReader } from "./output.ts";

/** The size of a view. */
export interface ViewLimits {
  /** UTF-8 bytes, the line about what was left out included. */
  readonly bytes: number;
  /** Lines, that line included. */
  readonly lines: number;
}

/** A view and what it does not show. */
export interface OutputView {
  /** Ends with a newline unless it is empty. */
  readonly text: string;
  /** Of the cleaned text where that was made, of the raw bytes beyond; 0: everything is shown. */
  readonly omittedBytes: number;
  readonly omittedLines: number;
}

/** Beyond this much at either end nothing is decoded for a view: 128 KiB shrink to the limit even when full of escapes. */
const DECODED_BYTES = 128 * 1024;
/** The end of an output says more than its beginning. */
const HEAD_SHARE = 0.4;
/** Room for the line about what was left out. */
const NOTE_BYTES = 64;

/** The view of everything an operation wrote. */
export function viewOutput(output: OutputReader, limits: ViewLimits, options: CleanOptions): OutputView {
  const { first, last, skippedBytes, skippedLines } = readEnds(output);
  if (skippedBytes === 0) return viewText(cleanText(join(first, last), options), limits);
  const start = cutToBudget(encode(cleanText(first, options)), budget(limits, HEAD_SHARE), "head");
  const end = cutToBudget(encode(cleanText(last, options)), budget(limits, 1 - HEAD_SHARE), "tail");
  return joinEnds(start.kept, end.kept, {
    bytes: start.cutBytes + skippedBytes + end.cutBytes,
    lines: start.cutLines + skippedLines + end.cutLines,
  });
}

/** The view of a text that is already clean. */
export function viewText(text: string, limits: ViewLimits): OutputView {
  if (text === "") return { text, omittedBytes: 0, omittedLines: 0 };
  const whole = text.endsWith("\n") ? text : `${text}\n`;
  const bytes = encode(whole);
  const lines = countNewlines(bytes);
  if (bytes.length <= limits.bytes && lines <= limits.lines) return { text: whole, omittedBytes: 0, omittedLines: 0 };
  const start = cutToBudget(bytes, budget(limits, HEAD_SHARE), "head").kept;
  const end = cutToBudget(bytes, budget(limits, 1 - HEAD_SHARE), "tail").kept;
  return joinEnds(start, end, {
    bytes: bytes.length - start.length - end.length,
    lines: lines - countNewlines(start) - countNewlines(end),
  });
}

/** The last `lines` whole lines, at most `bytes` of them; for a glance at something that is still running. */
export function lastLines(output: OutputReader, limits: ViewLimits, options: CleanOptions): string {
  const text = cleanText(readEnds(output).last, options);
  const whole = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return decode(cutToBudget(encode(whole), limits, "tail").kept);
}

function budget(limits: ViewLimits, share: number): ViewLimits {
  return {
    bytes: Math.max(0, Math.floor((limits.bytes - NOTE_BYTES) * share)),
    lines: Math.max(0, Math.floor((limits.lines - 1) * share)),
  };
}

interface Ends {
  readonly first: Uint8Array;
  readonly last: Uint8Array;
  readonly skippedBytes: number;
  readonly skippedLines: number;
}

/** The bytes worth decoding, cut at newlines where there is a gap; without a gap `first` and `last` are neighbours. */
function readEnds(output: OutputReader): Ends {
  const head = output.head();
  const tail = output.tail();
  if (output.droppedBytes === 0 && head.length + tail.length <= 2 * DECODED_BYTES) {
    // Everything goes into `last`: it alone must be enough for lastLines().
    return { first: new Uint8Array(0), last: join(head, tail), skippedBytes: 0, skippedLines: 0 };
  }
  const kept = output.droppedBytes === 0 ? join(head, tail) : undefined;
  const first = upToLastNewline((kept ?? head).subarray(0, DECODED_BYTES));
  const last = afterFirstNewline((kept ?? tail).subarray(-DECODED_BYTES));
  return {
    first,
    last,
    skippedBytes: output.totalBytes - first.length - last.length,
    skippedLines: output.totalLines - countNewlines(first) - countNewlines(last),
  };
}

function upToLastNewline(bytes: Uint8Array): Uint8Array {
  const newline = bytes.lastIndexOf(10);
  return newline === -1 ? bytes.subarray(0, characterStart(bytes, bytes.length)) : bytes.subarray(0, newline + 1);
}

function afterFirstNewline(bytes: Uint8Array): Uint8Array {
  const newline = bytes.indexOf(10);
  // A newline that ends everything begins no line: then the end of that one long line is what there is.
  return newline === -1 || newline === bytes.length - 1
    ? bytes.subarray(nextCharacter(bytes, 0))
    : bytes.subarray(newline + 1);
}

interface Cut {
  readonly kept: Uint8Array;
  readonly cutBytes: number;
  readonly cutLines: number;
}

/** As many whole lines as fit; where not even one does, as much of that line as fits, at a character's border. */
function cutToBudget(bytes: Uint8Array, limits: ViewLimits, end: "head" | "tail"): Cut {
  const kept = end === "head" ? keepHead(bytes, limits) : keepTail(bytes, limits);
  return {
    kept,
    cutBytes: bytes.length - kept.length,
    cutLines: countNewlines(bytes) - countNewlines(kept),
  };
}

function keepHead(bytes: Uint8Array, limits: ViewLimits): Uint8Array {
  let length = 0;
  for (let lines = 0; lines < limits.lines && length < bytes.length; lines++) {
    const newline = bytes.indexOf(10, length);
    const lineEnd = newline === -1 ? bytes.length : newline + 1;
    if (lineEnd > limits.bytes) {
      return bytes.subarray(0, length > 0 ? length : characterStart(bytes, limits.bytes));
    }
    length = lineEnd;
  }
  return bytes.subarray(0, length);
}

function keepTail(bytes: Uint8Array, limits: ViewLimits): Uint8Array {
  let start = bytes.length;
  for (let lines = 0; lines < limits.lines && start > 0; lines++) {
    // The newline right before `start` ends this line; the one before it begins the line. Negative would count from the end.
    const lineStart = start === 1 ? 0 : bytes.lastIndexOf(10, start - 2) + 1;
    if (bytes.length - lineStart > limits.bytes) {
      const cut = Math.max(0, bytes.length - limits.bytes);
      return bytes.subarray(start < bytes.length ? start : nextCharacter(bytes, cut));
    }
    start = lineStart;
  }
  return bytes.subarray(start);
}

/** The start of the character that holds the byte at `at`. */
function characterStart(bytes: Uint8Array, at: number): number {
  let start = Math.min(at, bytes.length);
  while (start > 0 && start < bytes.length && isContinuation(bytes[start])) start--;
  return start;
}

/** The first start of a character at or after `at`. */
function nextCharacter(bytes: Uint8Array, at: number): number {
  let start = at;
  while (start < bytes.length && isContinuation(bytes[start])) start++;
  return start;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function joinEnds(start: Uint8Array, end: Uint8Array, omitted: { bytes: number; lines: number }): OutputView {
  const note = `... ${plural(omitted.lines, "line")} (${plural(omitted.bytes, "byte")}) left out ...`;
  const before = decode(start);
  const after = decode(end);
  const separator = before === "" || before.endsWith("\n") ? "" : "\n";
  const final = after === "" || after.endsWith("\n") ? "" : "\n";
  return {
    text: `${before}${separator}${note}\n${after}${final}`,
    omittedBytes: omitted.bytes,
    omittedLines: omitted.lines,
  };
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function join(first: Uint8Array, last: Uint8Array): Uint8Array {
  if (first.length === 0) return last;
  if (last.length === 0) return first;
  const joined = new Uint8Array(first.length + last.length);
  joined.set(first);
  joined.set(last, first.length);
  return joined;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
