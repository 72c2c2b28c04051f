/** `files_read`: text with line numbers, images, notebooks, PDF, and the type of a binary file (K3). */
import { UserError } from "../../base/errors.ts";
import type { CallOf } from "../definition/groups.ts";
import { textResult, type ToolResult } from "../frame/messages.ts";
import { Helpers } from "../helper/helpers.ts";
import type { ToolContext } from "../project/native_tool.ts";
import type { OpenFile } from "../project/project.ts";
import { revOf } from "../project/seen_contents.ts";
import { readUpTo } from "./read_chunks.ts";
import { HEAD_BYTES, type ImageType, kindOf } from "./read_kind.ts";
import { renderNotebook } from "./read_notebook.ts";
import { headLine } from "./read_shown.ts";
import { type LineRequest, readLines, renderedLines, WHOLE_BYTES } from "./read_text.ts";
import type { PdfTask, PdfText } from "./pdf_text.ts";

const DEFAULT_LINES = 2000;
const MOST_IMAGE_BYTES = 5 * 1024 * 1024;
const MOST_BASE64_BYTES = 1024 * 1024;
const MOST_PDF_BYTES = 32 * 1024 * 1024;
const DUMPED_BYTES = 256;
const DUMPED_IN_A_LINE = 32;

/** See the definition of `files_read`. */
export async function readFile(args: CallOf<"files_read">, { project, signal }: ToolContext): Promise<ToolResult> {
  const { path, offset = 1, limit = DEFAULT_LINES, line_numbers: numbers = true, pages, encoding } = args;
  using opened = await project.open(path);
  const { stat, place: { shown } } = opened;
  const request: LineRequest = { offset, limit, numbers };
  if (encoding === "base64") return asBase64(opened);
  const head = readUpTo(opened, Math.min(HEAD_BYTES, Number(stat.size) || HEAD_BYTES));
  const kind = kindOf(head, { isWhole: stat.size <= HEAD_BYTES });
  switch (kind.kind) {
    case "image":
      return await asImage(opened, kind.type);
    case "pdf":
      return await asPdf(opened, request, { pages, helpers: project.kept(Helpers), signal });
    case "binary": {
      const dump = [...head.subarray(0, DUMPED_BYTES)].map((byte) => byte.toString(16).padStart(2, "0"));
      const lines = dump.map((byte, at) => `${byte}${(at + 1) % DUMPED_IN_A_LINE === 0 ? "\n" : " "}`).join("");
      const way = 'encoding "base64" gives its bytes';
      return textResult(
        `${headLine({ shown, size: Number(stat.size), traits: [kind.type] })}\n${lines.trimEnd()}\n[${way}]`,
      );
    }
    case "text":
      return shown.endsWith(".ipynb") && request.numbers && await asNotebook(opened, request) ||
        await readLines(opened, kind, request, signal);
  }
}

function asBase64(opened: OpenFile): ToolResult {
  const { stat, place: { shown } } = opened;
  if (stat.size > MOST_BASE64_BYTES) {
    throw new UserError(`Cannot give "${shown}" as base64: it has ${stat.size} bytes, at most ${MOST_BASE64_BYTES}`);
  }
  return textResult(readUpTo(opened, Number(stat.size)).toBase64());
}

async function asImage(opened: OpenFile, type: ImageType): Promise<ToolResult> {
  const { stat, place: { shown } } = opened;
  if (stat.size > MOST_IMAGE_BYTES) {
    const size = Number(stat.size);
    return textResult(
      `${headLine({ shown, size, traits: [type] })}\n[images over ${MOST_IMAGE_BYTES} bytes are not shown]`,
    );
  }
  const bytes = readUpTo(opened, Number(stat.size));
  const head = headLine({ shown, size: bytes.length, traits: [type], rev: await revOf(bytes) });
  return { content: [{ type: "text", text: head }, { type: "image", data: bytes.toBase64(), mimeType: type }] };
}

async function asPdf(
  opened: OpenFile,
  request: LineRequest,
  { pages, helpers, signal }: {
    readonly pages: string | undefined;
    readonly helpers: Helpers;
    readonly signal: AbortSignal;
  },
): Promise<ToolResult> {
  const { stat, place: { shown } } = opened;
  if (stat.size > MOST_PDF_BYTES) {
    throw new UserError(`Cannot read "${shown}": a PDF of ${stat.size} bytes, at most ${MOST_PDF_BYTES}`);
  }
  const bytes = readUpTo(opened, Number(stat.size));
  const size = bytes.length;
  const rev = await revOf(bytes);
  const { text, total } = await readPdf(helpers, { bytes, range: pages, shown }, { signal });
  const traits = [`PDF of ${total === 1 ? "1 page" : `${total} pages`}`];
  return renderedLines(new TextEncoder().encode(text), request, () => Promise.resolve({ shown, size, rev, traits }));
}

/** Undefined: it is not a notebook, despite its name. */
async function asNotebook(opened: OpenFile, request: LineRequest): Promise<ToolResult | undefined> {
  const { stat, place: { shown } } = opened;
  if (stat.size > WHOLE_BYTES) return undefined;
  const bytes = readUpTo(opened, Number(stat.size));
  const notebook = renderNotebook(new TextDecoder().decode(bytes));
  if (notebook === undefined) return undefined;
  const facts = { shown, size: bytes.length, rev: await revOf(bytes), traits: [`notebook of ${notebook.cells} cells`] };
  const text = new TextEncoder().encode(notebook.text);
  const { content } = await renderedLines(text, request, () => Promise.resolve(facts));
  const lines = content.map((part) => part.type === "text" ? part.text : "").join("\n");
  const images = notebook.images.filter(({ name }) => lines.includes(`[${name}:`));
  return { content: [...content, ...images.map(({ data, mimeType }) => ({ type: "image" as const, data, mimeType }))] };
}

/** Time limit for a PDF, milliseconds. */
const LONGEST_MS = 30_000;

/** A PDF that was read. */
interface PdfFile extends PdfTask {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Its name in messages. */
  readonly shown: string;
}

interface PdfLimits {
  readonly signal: AbortSignal;
  /** Time limit for all of its pages, milliseconds; absent: thirty seconds. */
  readonly longestMs?: number;
}

/** Pages of a range. @throws {UserError} When there are none, it is not a PDF, or it takes too long. */
export async function readPdf(
  helpers: Helpers,
  { bytes, range, shown }: PdfFile,
  { signal, longestMs = LONGEST_MS }: PdfLimits,
): Promise<PdfText> {
  const read = await helpers.ask<PdfText>("pdf", { range } satisfies PdfTask, { bytes, signal, longestMs });
  if (read.ok) return read.value;
  const { kind, text } = read.problem;
  const problem = kind === "late"
    ? `it took longer than ${longestMs / 1000} s; "pages" asks for fewer pages, encoding "base64" for its bytes`
    : text;
  throw new UserError(`Cannot read "${shown}": ${problem}`);
}
