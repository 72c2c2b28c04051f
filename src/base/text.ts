import { attempt } from "./errors.ts";

/** Compares by code units, so that the order does not depend on the machine's language. */
export function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The first `longest` characters of `text` (UTF-16 units) and "…"; `text` itself where it has no more. */
export function truncate(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()}…`;
}

/** As `truncate`, with the number of characters that are missing: "abc [7 more]". */
export function truncateCounting(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()} [${text.length - longest} more]`;
}

/**
 * `text` without those of the `characters` that end it. A pattern such as `/x+$/` would restart at each character of an
 * inner run, so its time would grow with the square of the run's length.
 *
 * @example withoutTrailing("a/b//", "/") // "a/b"
 */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** JSON of a value for a message, at most 80 characters; "missing" for undefined. */
export function shownValue(value: unknown): string {
  const start = typeof value === "string" ? value.slice(0, 80) : value;
  return truncate(JSON.stringify(start) ?? "missing", 80);
}

/** `text` with its percent escapes decoded; unchanged if one of them is incomplete. */
export function percentDecoded(text: string): string {
  return attempt(URIError, () => decodeURIComponent(text)) ?? text;
}

/** "1 file", "2 files". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

type Word<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Word<Rest> : Text;

/** The words of some lines, for lists of names: a line for each kind. */
export function words<const Lines extends readonly string[]>(...lines: Lines): readonly Word<Lines[number]>[] {
  return lines.flatMap((line) => line.split(" ")) as Word<Lines[number]>[]; // the type splits as the method does
}

const ENCODER = new TextEncoder();

/** The UTF-8 bytes of a text. */
export function encodeText(text: string): Uint8Array<ArrayBuffer> {
  return ENCODER.encode(text);
}

/** Size of the parts of a text, bytes. */
const LONGEST_PART = 64 * 1024;

/** The UTF-8 bytes of a text in parts of at most 64 KiB. Each part overwrites the one before. */
export function* encodedParts(text: string): Generator<Uint8Array<ArrayBuffer>> {
  const part = new Uint8Array(Math.min(LONGEST_PART, 3 * text.length));
  for (let at = 0; at < text.length;) {
    const { read, written } = ENCODER.encodeInto(text.slice(at), part);
    yield part.subarray(0, written);
    at += read;
  }
}

/** A word as a person types it: quoted only if a shell would read it as something else. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quote(text);
}

/** Quotes any text as one word for a POSIX shell. It must not contain NUL. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A list that changes faster than it is read counts as it was in the end. */
const MOST_READS = 10;

/**
 * The text that `read` gives twice in a row; an empty one at once. `/proc/PID/task/TID/children` leaves out living
 * children while others end (proc_tid_children(5)), but not the first one.
 */
export function settledText(read: () => string): string {
  let text = read();
  for (let reads = 1; text !== "" && reads < MOST_READS; reads++) {
    const again = read();
    if (again === text) break;
    text = again;
  }
  return text;
}
