/** Reads the lines of a text file that a call asks for (K3). */
import type { ToolResult } from "../frame/messages.ts";
import type { OpenFile } from "../project/project.ts";
import { revOf } from "../project/seen_contents.ts";
import { readText, readUpTo, recoder, startOfLast } from "./read_chunks.ts";
import type { FileKind } from "./read_kind.ts";
import { exact, headLine, numbered, rest, traitsOf } from "./read_shown.ts";
import { LineWindow } from "./read_window.ts";

/** Which lines are requested, and how. */
export interface LineRequest {
  /** First line, from 1; negative: counted from the end. */
  readonly offset: number;
  readonly limit: number;
  readonly numbers: boolean;
}

/** A file of at most this many bytes is read completely, to count its lines and compute its `rev`. */
export const WHOLE_BYTES = 16 * 1024 * 1024;
const LONGEST_LINE = 2000;
const BUDGET = 48 * 1024;

type Text = Extract<FileKind, { kind: "text" }>;

/** The lines of an open text file. */
export async function readLines(
  opened: OpenFile,
  kind: Text,
  request: LineRequest,
  signal: AbortSignal,
): Promise<ToolResult> {
  const size = Number(opened.stat.size);
  return size <= WHOLE_BYTES
    ? await readWhole(opened, kind, request)
    : await readStreamed(opened, size, { kind, request, signal });
}

/** Bytes to read; if the file grows meanwhile, the new part is ignored. */
function wholeSize({ stat }: OpenFile): number {
  return Number(stat.size) || WHOLE_BYTES;
}

function readWhole(file: OpenFile, kind: Text, request: LineRequest): Promise<ToolResult> {
  const { shown } = file.place;
  const content = readUpTo(file, wholeSize(file));
  const text = recoder(kind.encoding)(content.subarray(kind.mark));
  return renderedLines(text, request, async (window) => {
    const rev = await revOf(content);
    file.seen.keep(rev, content);
    return { shown, size: content.length, traits: traitsOf(kind, window), rev };
  });
}

/** The requested lines of a text in memory. */
export async function renderedLines(
  text: Uint8Array,
  request: LineRequest,
  factsOf: (window: LineWindow) => Promise<Omit<Parameters<typeof headLine>[0], "total">>,
): Promise<ToolResult> {
  const first = request.offset < 0 ? Math.max(1, linesIn(text) + request.offset + 1) : Math.max(1, request.offset);
  const window = windowFor(request, first);
  window.push(text);
  window.finish();
  const total = window.total;
  return answer(headLine({ ...await factsOf(window), total }), { window, request, first, total });
}

interface Streamed {
  readonly kind: Text;
  readonly request: LineRequest;
  readonly signal: AbortSignal;
}

/** Reads only as much as the answer needs; lines from the end keep negative numbers. */
async function readStreamed(
  file: OpenFile,
  size: number,
  { kind, request, signal }: Streamed,
): Promise<ToolResult> {
  const { encoding, mark } = kind;
  const { shown } = file.place;
  const seen = (window: LineWindow, start: number) => pushAll(window, readText(file, { start, encoding, signal }));
  let first = Math.max(1, request.offset);
  let start = mark;
  let number = first;
  if (request.offset < 0 && encoding.startsWith("utf-16")) {
    const all = windowFor(request, Infinity);
    await seen(all, mark);
    number = first = Math.max(1, all.total + request.offset + 1);
  } else if (request.offset < 0) {
    const found = await startOfLast(file, { count: -request.offset, size, signal });
    if (found !== undefined) [start, number] = [found, request.offset];
  }
  const window = windowFor(request, first);
  await seen(window, start);
  const total = window.hasMore || number < 0 ? undefined : window.total;
  const head = headLine({ shown, size, total, traits: traitsOf(kind, window) });
  return answer(head, { window, request, first: number, total });
}

/** Pushes chunks until the window is full. */
async function pushAll(window: LineWindow, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) {
    window.push(chunk);
    if (window.hasMore) return;
  }
  window.finish();
}

function windowFor({ limit, numbers }: LineRequest, first: number): LineWindow {
  return new LineWindow({ first, count: limit, budget: BUDGET, ...numbers && { longestLine: LONGEST_LINE } });
}

interface Answer {
  readonly window: LineWindow;
  readonly request: LineRequest;
  /** Number of the first line. */
  readonly first: number;
  readonly total: number | undefined;
}

function answer(head: string, { window, request, first, total }: Answer): ToolResult {
  const { lines } = window;
  if (lines.length === 0) {
    const past = total === undefined || total === 0 ? [] : [`[offset ${request.offset} is past the last line]`];
    return textResult([[head, ...past].join("\n")]);
  }
  const tail = rest({ first, count: lines.length, total, more: window.hasMore });
  if (request.numbers) return textResult([[head, ...numbered(lines, first), ...tail].join("\n")]);
  return textResult([[head, ...tail].join("\n"), exact(lines)]);
}

function textResult(texts: readonly string[]): ToolResult {
  return { content: texts.map((text) => ({ type: "text", text })) };
}

function linesIn(text: Uint8Array): number {
  let lines = 0;
  for (let at = text.indexOf(10); at >= 0; at = text.indexOf(10, at + 1)) lines++;
  return text.length > 0 && text.at(-1) !== 10 ? lines + 1 : lines;
}
