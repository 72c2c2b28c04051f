/** Any part of an output as text (X8), in bounded pieces that end at line ends where possible. */
import { concatenate } from "../../base/bytes.ts";
import { type CleanOptions, cleanText } from "./clean_text.ts";
import { afterNewlines, countNewlines, upToLineEnd } from "./byte_scan.ts";
import type { OutputReader } from "./output.ts";

/** A piece of an output; offsets are in bytes of the output as it was written. */
export interface OutputPage {
  readonly text: string;
  /** Offset of its first byte; beyond the requested one if bytes were lost. */
  readonly offset: number;
  /** Where the next piece begins; `totalBytes` at the end. */
  readonly nextOffset: number;
}

/** Which lines, the first one being 1. */
export interface LineRange {
  readonly first: number;
  /** Undefined: to the end. */
  readonly last: number | undefined;
}

/** Which lines, counted from the start or from the end. */
export type LineWish = LineRange | { readonly fromEnd: number };

/** The number of lines, including an unfinished last one. */
export function lineTotal(output: OutputReader): number {
  const last = output.tail().at(-1) ?? output.head().at(-1);
  return output.totalLines + (last === undefined || last === NEWLINE ? 0 : 1);
}

/** Resolves `wish` to line numbers of the current output. */
export function resolveLines(output: OutputReader, wish: LineWish): LineRange {
  if (!("fromEnd" in wish)) return wish;
  return { first: Math.max(1, lineTotal(output) - wish.fromEnd + 1), last: undefined };
}

/** Bytes read at once while searching for lines. */
const SEARCH_BYTES = 256 * 1024;
const NEWLINE = 10;

/** At most `limit` bytes from `offset` on. */
export async function readPage(
  output: OutputReader,
  { offset, limit }: { readonly offset: number; readonly limit: number },
  options: CleanOptions,
): Promise<OutputPage> {
  const read = await readUpTo(output, offset, limit);
  const bytes = read.offset + read.bytes.length < output.totalBytes ? upToLineEnd(read.bytes) : read.bytes;
  return { text: cleanText(bytes, options), offset: read.offset, nextOffset: read.offset + bytes.length };
}

/** These lines, at most `limit` bytes of them. */
export async function readLines(
  output: OutputReader,
  { first, last, limit }: LineRange & { readonly limit: number },
  options: CleanOptions,
): Promise<OutputPage> {
  const offset = await lineOffset(output, first);
  if (last === undefined) return await readPage(output, { offset, limit }, options);
  const end = await lineOffset(output, last + 1);
  return await readPage(output, { offset, limit: Math.min(limit, Math.max(0, end - offset)) }, options);
}

/** Where line `line` begins; the end if there are fewer lines, after the gap if it is lost. */
async function lineOffset(output: OutputReader, line: number): Promise<number> {
  let { offset, newlines } = output.lineMark(line);
  while (newlines < line - 1) {
    const piece = await output.read(offset, SEARCH_BYTES);
    if (piece.bytes.length === 0) return output.totalBytes;
    if (piece.offset > offset) return piece.offset;
    const found = countNewlines(piece.bytes);
    if (newlines + found >= line - 1) return offset + afterNewlines(piece.bytes, line - 1 - newlines);
    newlines += found;
    offset += piece.bytes.length;
  }
  return offset;
}

/** Neighbouring pieces as one, up to a gap. */
async function readUpTo(output: OutputReader, offset: number, limit: number) {
  const first = await output.read(offset, limit);
  const pieces = [first.bytes];
  let length = first.bytes.length;
  while (length < limit) {
    const next = await output.read(first.offset + length, limit - length);
    if (next.bytes.length === 0 || next.offset !== first.offset + length) break;
    pieces.push(next.bytes);
    length += next.bytes.length;
  }
  return { offset: first.offset, bytes: pieces.length === 1 ? first.bytes : concatenate(pieces) };
}
