/** A file's text as units: bytes, or two of them in UTF-16. Every byte outside a replacement stays as it is. Pure. */
import { Buffer, isUtf8 } from "node:buffer";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { Encoding } from "../definition/files_writing.ts";
import type { Region } from "./regions.ts";

/** How a file encodes its text. */
export interface TextForm {
  readonly encoding: Encoding;
  /** Whether it begins with a byte order mark. */
  readonly mark: boolean;
}

/** A decoded file. */
export interface FileText extends TextForm {
  readonly units: string;
  /** The last byte of a UTF-16 file with an odd number of them; empty otherwise. */
  readonly tail: Uint8Array;
  /** Whether neither the call nor its bytes say how it encodes characters beyond ASCII. */
  readonly isOpen: boolean;
}

const MARKS: readonly (readonly [encoding: Encoding, mark: readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];
/** A NUL within this many bytes from the start means that a file is binary. */
const LOOKED_AT_BYTES = 8192;
/** Of decoded text: replacement characters stand for bytes that are not UTF-8. */
const BEYOND_ASCII = /[^\0-\x7f\ufffd]/u;
/** The windows-1252 character of each byte. */
const CHARACTERS: string = new TextDecoder("windows-1252").decode(Uint8Array.from({ length: 256 }, (_, byte) => byte));

/** The form of a new file. */
export const PLAIN: TextForm = { encoding: "utf-8", mark: false };

/** Decodes a file; `encoding` comes from the call. The problem says why it is not text. */
export function decodeFile(bytes: Uint8Array, encoding?: Encoding): Outcome<FileText> {
  const marked = MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte));
  if (marked !== undefined && (encoding === undefined || encoding === marked[0])) {
    return success(taken(bytes.subarray(marked[1].length), { encoding: marked[0], mark: true }));
  }
  if (encoding !== undefined) return success(taken(bytes, { encoding, mark: false }));
  if (bytes.subarray(0, LOOKED_AT_BYTES).includes(0)) {
    return failure("it holds NUL bytes, so it is binary or UTF-16 without a mark; `encoding` names the latter");
  }
  return success({ ...taken(bytes, PLAIN), isOpen: !isUtf8(bytes) });
}

function taken(bytes: Uint8Array, form: TextForm): FileText {
  const odd = isWide(form.encoding) && bytes.length % 2 === 1 ? bytes.length - 1 : bytes.length;
  return { ...form, units: unitsOf(bytes.subarray(0, odd), form.encoding), tail: bytes.slice(odd), isOpen: false };
}

function unitsOf(bytes: Uint8Array, encoding: Encoding): string {
  if (encoding === "utf-16be") return Buffer.from(bytes).swap16().toString("utf16le");
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return buffer.toString(encoding === "utf-16le" ? "utf16le" : "latin1");
}

/** The bytes of a file with these units. */
export function encodeFile(
  { encoding, mark, tail }: TextForm & { readonly tail?: Uint8Array },
  units: string,
): Uint8Array<ArrayBuffer> {
  const body = isWide(encoding) ? Buffer.from(units, "utf16le") : Buffer.from(units, "latin1");
  if (encoding === "utf-16be") body.swap16();
  const first = mark ? MARKS.find(([one]) => one === encoding)?.[1] ?? [] : [];
  const bytes = new Uint8Array(first.length + body.length + (tail?.length ?? 0));
  bytes.set(first);
  bytes.set(body, first.length);
  bytes.set(tail ?? [], first.length + body.length);
  return bytes;
}

/** Above this number of regions, the whole file is encoded. */
const MOST_COPIED = 1000;

/** As `encodeFile`, for a file that is now `content`: everything outside the regions is copied from it. */
export function encodeChanged(
  content: Uint8Array,
  file: FileText,
  { units, regions }: { readonly units: string; readonly regions: readonly Region[] },
): Uint8Array<ArrayBuffer> {
  if (regions.length > MOST_COPIED) return encodeFile(file, units);
  const width = isWide(file.encoding) ? 2 : 1;
  const first = content.length - file.tail.length - width * file.units.length;
  const bytes = new Uint8Array(content.length + width * (units.length - file.units.length));
  let [from, to] = [0, 0];
  const copy = (part: Uint8Array, next: number) => {
    bytes.set(part, to);
    [from, to] = [next, to + part.length];
  };
  for (const { oldStart, oldEnd, newStart, newEnd } of regions) {
    copy(content.subarray(from, first + width * oldStart), first + width * oldEnd);
    const part = encodeFile({ encoding: file.encoding, mark: false }, units.slice(newStart, newEnd));
    copy(part, from);
  }
  copy(content.subarray(from), content.length);
  return bytes;
}

/** Encodes a text as units; the problem names a character that the encoding lacks. */
export function textUnits(text: string, encoding: Encoding): Outcome<string> {
  if (isWide(encoding)) return success(text);
  if (encoding === "utf-8") return success(Buffer.from(text, "utf8").toString("latin1"));
  const foreign = [...text].find((one) => !CHARACTERS.includes(one));
  if (foreign !== undefined) return failure(`"${foreign}" is not a character of ${encoding}`);
  return success(text.replace(/[^]/g, (one) => String.fromCharCode(CHARACTERS.indexOf(one))));
}

/**
 * Encodes a text that takes the place of `replaced`; the problem asks how where the file leaves that open. UTF-8 in
 * `replaced` answers that.
 */
export function newUnits(text: string, { encoding, isOpen }: FileText, replaced = ""): Outcome<string> {
  const beyond = isOpen ? BEYOND_ASCII.exec(text)?.[0] : undefined;
  if (beyond === undefined || BEYOND_ASCII.test(shownUnits(replaced, encoding))) return textUnits(text, encoding);
  return failure(`the file is not UTF-8 throughout; \`encoding\` says how to write "${beyond}"`);
}

/** Decodes units for display; an invalid byte becomes a replacement character. */
export function shownUnits(units: string, encoding: Encoding): string {
  if (encoding === "utf-8") return Buffer.from(units, "latin1").toString("utf8");
  return isWide(encoding) ? units.toWellFormed() : units.replace(/[^]/g, (one) => CHARACTERS.charAt(one.charCodeAt(0)));
}

function isWide(encoding: Encoding): boolean {
  return encoding === "utf-16le" || encoding === "utf-16be";
}
