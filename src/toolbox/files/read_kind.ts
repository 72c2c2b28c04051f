/** The kind of a file, by its first bytes. Pure. */

import { attempt } from "../../base/errors.ts";
import type { Encoding } from "../definition/files_writing.ts";

export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
export type ImageType = typeof IMAGE_TYPES[number];

export type FileKind =
  | { readonly kind: "image"; readonly type: ImageType }
  | { readonly kind: "pdf" }
  /** `mark`: bytes of the byte order mark. */
  | { readonly kind: "text"; readonly encoding: Encoding; readonly mark: number }
  | { readonly kind: "binary"; readonly type: string };

/** How many first bytes decide the kind. */
export const HEAD_BYTES = 65_536;
/** A zero byte within this many first bytes means that a file is binary. */
const ZERO_BYTES = 8192;

const SIGNATURES: readonly (readonly [bytes: readonly number[], kind: FileKind])[] = [
  [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], { kind: "image", type: "image/png" }],
  [[0xff, 0xd8, 0xff], { kind: "image", type: "image/jpeg" }],
  [ascii("GIF87a"), { kind: "image", type: "image/gif" }],
  [ascii("GIF89a"), { kind: "image", type: "image/gif" }],
  [ascii("%PDF-"), { kind: "pdf" }],
  [[0xef, 0xbb, 0xbf], { kind: "text", encoding: "utf-8", mark: 3 }],
  [[0xff, 0xfe], { kind: "text", encoding: "utf-16le", mark: 2 }],
  [[0xfe, 0xff], { kind: "text", encoding: "utf-16be", mark: 2 }],
  [[0x7f, 0x45, 0x4c, 0x46], { kind: "binary", type: "ELF program" }],
  [[0x50, 0x4b, 0x03, 0x04], { kind: "binary", type: "ZIP archive" }],
  [[0x1f, 0x8b], { kind: "binary", type: "gzip data" }],
  [[0x00, 0x61, 0x73, 0x6d], { kind: "binary", type: "WebAssembly module" }],
  [ascii("SQLite format 3\0"), { kind: "binary", type: "SQLite database" }],
];

/** The kind of a file that begins with `head`; `isWhole`: nothing follows. */
export function kindOf(head: Uint8Array, { isWhole }: { readonly isWhole: boolean }): FileKind {
  const signed = SIGNATURES.find(([bytes]) => startsWith(head, bytes));
  if (signed !== undefined) return signed[1];
  if (startsWith(head, ascii("RIFF")) && startsWith(head.subarray(8), ascii("WEBP"))) {
    return { kind: "image", type: "image/webp" };
  }
  if (head.subarray(0, ZERO_BYTES).includes(0)) return { kind: "binary", type: "binary data" };
  if (isUtf8(head, isWhole)) return { kind: "text", encoding: "utf-8", mark: 0 };
  // Bytes without control characters are text in an older encoding.
  return head.some(isControl)
    ? { kind: "binary", type: "binary data" }
    : { kind: "text", encoding: "windows-1252", mark: 0 };
}

function isUtf8(bytes: Uint8Array, isWhole: boolean): boolean {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  return attempt(TypeError, () => decoder.decode(bytes, { stream: !isWhole })) !== undefined;
}

const TAB = 9;
const CARRIAGE_RETURN = 13;
const ESCAPE = 27;
const SPACE = 32;
const DELETE = 127;

function isControl(byte: number): boolean {
  return byte === DELETE || byte < SPACE && byte !== ESCAPE && (byte < TAB || byte > CARRIAGE_RETURN);
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, at) => bytes[at] === byte);
}

function ascii(text: string): readonly number[] {
  return Array.from(text, (character) => character.charCodeAt(0));
}
