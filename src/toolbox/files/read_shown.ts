/** The answer of `files_read` as text. Pure. */
import type { FileKind } from "./read_kind.ts";
import type { LineWindow, WindowLine } from "./read_window.ts";

/** What the first line tells. */
export interface Facts {
  /** The name of the file in results. */
  readonly shown: string;
  /** Bytes. */
  readonly size: number;
  /** Undefined: lines after the shown ones were not counted. */
  readonly total?: number | undefined;
  /** Undefined: the file is too long for a fingerprint. */
  readonly rev?: string | undefined;
  /** Type and encoding of the file; empty: UTF-8 text with plain line endings. */
  readonly traits: readonly string[];
}

/** The first line of an answer. */
export function headLine({ shown, size, total, rev, traits }: Facts): string {
  const lines = total === undefined ? [] : total === 0 ? ["empty"] : [total === 1 ? "1 line" : `${total} lines`];
  const facts = [
    ...lines,
    size === 1 ? "1 byte" : `${size} bytes`,
    ...traits,
    ...rev === undefined ? [] : [`rev ${rev}`],
  ];
  return `${shown}: ${facts.join(", ")}`;
}

/** The encoding and line endings of a text; empty for UTF-8 with plain line endings. */
export function traitsOf(kind: Extract<FileKind, { kind: "text" }>, window: LineWindow): readonly string[] {
  const { encoding, mark } = kind;
  const last = window.lines.at(-1);
  return [
    ...encoding === "windows-1252" ? ["no UTF-8, shown as windows-1252"] : [],
    ...encoding === "utf-8" ? mark > 0 ? ["UTF-8 with byte order mark"] : [] : [],
    ...encoding.startsWith("utf-16") ? [encoding.toUpperCase()] : [],
    ...window.endings === "LF" ? [] : [window.endings === "CRLF" ? "CRLF" : "mixed line ends"],
    ...last?.end === "" ? ["no line end at its end"] : [],
  ];
}

/** Lines with their numbers; the first is `first`. */
export function numbered(lines: readonly WindowLine[], first: number): readonly string[] {
  return lines.map(({ text, cut }, at) => `${first + at}\t${text}${cut === 0 ? "" : ` … [+${cut} chars]`}`);
}

/** Lines with their original endings; a truncated line says so. */
export function exact(lines: readonly WindowLine[]): string {
  return lines.map(({ text, cut, end }) => `${text}${cut === 0 ? "" : ` … [+${cut} chars]`}${end}`).join("");
}

interface Shown {
  readonly first: number;
  readonly count: number;
  /** Undefined: not counted. */
  readonly total: number | undefined;
  readonly more: boolean;
}

/** The last line: what was shown and how to get the rest; empty: everything was shown. */
export function rest({ first, count, total, more }: Shown): readonly string[] {
  if (!more) return [];
  const last = first + count - 1;
  const of = total === undefined ? "" : ` of ${total}`;
  return [`[lines ${first} to ${last}${of}; continue with offset ${last + 1}]`];
}
