/** Hides texts in what a server answers (S33): each byte of them becomes an asterisk, so that lengths stay. */
import { concatenate } from "../base/bytes.ts";
import { encodeText } from "../base/text.ts";

const ASTERISK = 0x2a;

/** The text without them. */
export function hideIn(text: string, hidden: readonly string[]): string {
  return hidden.reduce((before, one) => before.replaceAll(one, "*".repeat(one.length)), text);
}

/**
 * A stream without them, also where they stand in two chunks. Only bytes that may be the beginning of one are held back.
 * `hidden` are texts of ASCII, none empty.
 */
export function hidingStream(hidden: readonly string[]): TransformStream<Uint8Array, Uint8Array> {
  const patterns = hidden.map(encodeText);
  let held = new Uint8Array(0);
  return new TransformStream({
    transform(chunk, controller) {
      const bytes = concatenate([held, chunk]);
      for (const pattern of patterns) hideBytes(bytes, pattern);
      const kept = Math.max(0, ...patterns.map((pattern) => begunAtEnd(bytes, pattern)));
      held = bytes.slice(bytes.length - kept);
      if (kept < bytes.length) controller.enqueue(bytes.subarray(0, bytes.length - kept));
    },
    flush(controller) {
      if (held.length > 0) controller.enqueue(held);
    },
  });
}

function hideBytes(bytes: Uint8Array, pattern: Uint8Array): void {
  for (let at = find(bytes, pattern, 0); at >= 0; at = find(bytes, pattern, at + pattern.length)) {
    bytes.fill(ASTERISK, at, at + pattern.length);
  }
}

function find(bytes: Uint8Array, pattern: Uint8Array, from: number): number {
  const [first = 0] = pattern;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (startsWith(bytes, pattern, { at, length: pattern.length })) return at;
  }
  return -1;
}

/** How many bytes at the end may be the beginning of it. */
function begunAtEnd(bytes: Uint8Array, pattern: Uint8Array): number {
  const longest = Math.min(pattern.length - 1, bytes.length);
  for (let length = longest; length > 0; length--) {
    if (startsWith(bytes, pattern, { at: bytes.length - length, length })) return length;
  }
  return 0;
}

function startsWith(
  bytes: Uint8Array,
  pattern: Uint8Array,
  { at, length }: { readonly at: number; readonly length: number },
): boolean {
  if (at + length > bytes.length) return false;
  for (let offset = 0; offset < length; offset++) if (bytes[at + offset] !== pattern[offset]) return false;
  return true;
}
