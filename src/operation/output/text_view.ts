/**
 * The inline view of an output (X4): all of a short one. Of a longer one whole lines from the beginning and the end, and
 * between them one line that says how much was left out. Clients cut long texts in the middle themselves; doing it
 * here keeps the ends and tells the truth about the rest.
 */
import { counted, encodeText } from "../../base/text.ts";
import { type CleanOptions, cleanText } from "./clean_text.ts";
import { concatenate } from "../../base/bytes.ts";
import { afterNewlines, countNewlines, upToLineEnd } from "./byte_scan.ts";
import type { OutputReader } from "./output.ts";

export interface ViewLimits {
  /** Maximum UTF-8 bytes, including the line about the gap. */
  readonly bytes: number;
  /** Lines, that line included. */
  readonly lines: number;
  /** Maximum lines of a truncated output; absent: as many as `lines` allows. */
  readonly cutLines?: number;
}

/** What a view leaves out between its two ends. */
export interface Gap {
  /** Bytes of cleaned text where it was decoded, of raw output elsewhere. */
  readonly bytes: number;
  /** Ends of lines among them. */
  readonly lines: number;
  /** The first and the last line that are not shown as a whole, counted from 1. */
  readonly first: number;
  readonly last: number;
  /** Whether the cut is within a line; otherwise whole lines are left out. */
  readonly insideLine: boolean;
  /** Where reading on shows all of it: a place in the output as it was written, in bytes. */
  readonly offset: number;
}

export interface ViewOptions extends CleanOptions {
  /** The part of a cut view that shows the beginning of the output; the end has the rest. */
  readonly headShare: number;
  /** The end of the line about the gap, as in `: status ...`; absent: nothing. */
  readonly advise?: (gap: Gap) => string;
}

export interface OutputView {
  /** Ends with a newline where the output does. */
  readonly text: string;
  /** Bytes left out, of cleaned text where decoded, otherwise of raw output; 0: everything is shown. */
  readonly omittedBytes: number;
  readonly omittedLines: number;
}

/** Beyond this much at either end nothing is decoded for a view: 128 KiB shrink to the limit even when full of escapes. */
const DECODED_BYTES = 128 * 1024;
/** Room for the line about what was left out. */
const NOTE_BYTES = 96;
/** The gap whose words are the longest. */
const MOST = Number.MAX_SAFE_INTEGER;
const WIDEST: Gap = { bytes: MOST, lines: MOST, first: MOST, last: MOST, insideLine: false, offset: MOST };
const NEWLINE = 10;

/** The view of an operation's whole output; complete if it fits. */
export function viewOutput(output: OutputReader, limits: ViewLimits, options: ViewOptions): OutputView {
  const { first, last, lastStartsLine, skippedBytes, skippedLines } = readEnds(output);
  const text = encodeText(cleanText(last, options));
  const isWhole = skippedBytes === 0;
  if (isWhole && text.length <= limits.bytes && lineCount(text) <= limits.lines) {
    return { text: decode(text), omittedBytes: 0, omittedLines: 0 };
  }
  const room = limitsLeftBy(options.advise, limits);
  const headRoom = share(room, options.headShare);
  // Without a gap both ends are of one text, which then counts twice.
  const beginning = isWhole ? text : encodeText(cleanText(first, options));
  const twice = isWhole ? text : new Uint8Array(0);
  const start = cutToBudget(beginning, headRoom, "head");
  const end = cutToBudget(text, without(room, headRoom), "tail");
  return joinEnds({
    start: start.kept,
    end: end.kept,
    endStartsLine: end.cutBytes === 0 ? lastStartsLine : text[end.cutBytes - 1] === NEWLINE,
    raw: isWhole ? last : first,
    bytes: start.cutBytes + skippedBytes + end.cutBytes - twice.length,
    lines: start.cutLines + skippedLines + end.cutLines - countNewlines(twice),
  }, options.advise);
}

/** Lines of a text, a last one without its end included. */
function lineCount(text: Uint8Array): number {
  return countNewlines(text) + (text.length === 0 || text.at(-1) === NEWLINE ? 0 : 1);
}

/** The last `lines` whole lines, at most `bytes` of them; for a glance at something that is still running. */
export function lastLines(output: OutputReader, limits: ViewLimits, options: CleanOptions): string {
  const text = cleanText(readEnds(output).last, options);
  const whole = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return decode(cutToBudget(encodeText(whole), limits, "tail").kept);
}

/** The part of `limits` that the line about the gap leaves. */
function limitsLeftBy(advise: ViewOptions["advise"], { bytes, lines, cutLines }: ViewLimits): ViewLimits {
  return {
    bytes: Math.max(0, bytes - NOTE_BYTES - encodeText(advise?.(WIDEST) ?? "").length),
    lines: Math.max(0, Math.min(lines - 1, cutLines ?? Infinity)),
  };
}

function share({ bytes, lines }: ViewLimits, part: number): ViewLimits {
  return { bytes: Math.floor(bytes * part), lines: Math.floor(lines * part) };
}

function without(all: ViewLimits, used: ViewLimits): ViewLimits {
  return { bytes: all.bytes - used.bytes, lines: all.lines - used.lines };
}

interface Ends {
  readonly first: Uint8Array;
  readonly last: Uint8Array;
  readonly lastStartsLine: boolean;
  readonly skippedBytes: number;
  readonly skippedLines: number;
}

/** The bytes worth decoding, cut at newlines where there is a gap; without a gap `last` has everything. */
function readEnds(output: OutputReader): Ends {
  const head = output.head();
  const tail = output.tail();
  if (output.droppedBytes === 0 && head.length + tail.length <= 2 * DECODED_BYTES) {
    return {
      first: new Uint8Array(0),
      last: concatenate([head, tail]),
      lastStartsLine: true,
      skippedBytes: 0,
      skippedLines: 0,
    };
  }
  const kept = output.droppedBytes === 0 ? concatenate([head, tail]) : undefined;
  const first = upToLineEnd((kept ?? head).subarray(0, DECODED_BYTES));
  const end = (kept ?? tail).subarray(-DECODED_BYTES);
  const last = afterFirstNewline(end);
  return {
    first,
    last,
    lastStartsLine: last.length < end.length && end[end.length - last.length - 1] === NEWLINE,
    skippedBytes: output.totalBytes - first.length - last.length,
    skippedLines: output.totalLines - countNewlines(first) - countNewlines(last),
  };
}

function afterFirstNewline(bytes: Uint8Array): Uint8Array {
  const newline = bytes.indexOf(NEWLINE);
  // A final newline does not begin a line: then only the end of that one long line exists.
  return newline === -1 || newline === bytes.length - 1
    ? bytes.subarray(nextCharacter(bytes, 0))
    : bytes.subarray(newline + 1);
}

interface Cut {
  readonly kept: Uint8Array;
  readonly cutBytes: number;
  readonly cutLines: number;
}

/** As many whole lines as fit, or else as many whole characters of one line as fit. */
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
    const newline = bytes.indexOf(NEWLINE, length);
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
    const lineStart = start === 1 ? 0 : bytes.lastIndexOf(NEWLINE, start - 2) + 1;
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

interface CutEnds extends Pick<Gap, "bytes" | "lines"> {
  readonly start: Uint8Array;
  readonly end: Uint8Array;
  readonly endStartsLine: boolean;
  /** What `start` is the cleaned beginning of. */
  readonly raw: Uint8Array;
}

function joinEnds(ends: CutEnds, advise: ViewOptions["advise"]): OutputView {
  const gap = gapOf(ends);
  const before = decode(ends.start);
  const separator = before === "" || before.endsWith("\n") ? "" : "\n";
  const note = `... ${describeGap(gap)}${advise?.(gap) ?? ""} ...`;
  return {
    text: `${before}${separator}${note}\n${decode(ends.end)}`,
    omittedBytes: gap.bytes,
    omittedLines: gap.lines,
  };
}

function gapOf({ start, endStartsLine, raw, bytes, lines }: CutEnds): Gap {
  const shown = countNewlines(start);
  const startEndsLine = start.length === 0 || start.at(-1) === NEWLINE;
  return {
    bytes,
    lines,
    first: shown + 1,
    last: shown + lines + (endStartsLine ? 0 : 1),
    insideLine: !startEndsLine || !endStartsLine,
    offset: start.every((byte, index) => byte === raw[index]) ? start.length : afterNewlines(raw, shown),
  };
}

function describeGap({ bytes, lines, first, last, insideLine }: Gap): string {
  if (!insideLine) return `${counted(lines, "line")} (${counted(bytes, "byte")}) left out`;
  return `${counted(bytes, "byte")} left out of ${first === last ? `line ${first}` : `lines ${first} to ${last}`}`;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
