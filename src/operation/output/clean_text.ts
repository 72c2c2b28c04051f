/** Converts terminal output to text for a model (X8): removes colours, cursor moves and redrawn progress lines. */
import { hasControls } from "./byte_scan.ts";

/**
 * CSI, and OSC, DCS, SOS, PM and APC strings (ended by BEL or ST), each also as one character of U+0080 to U+009F, and
 * two-character escapes. A string that is never ended is cut at the end of its line, so that it cannot swallow what follows.
 */
const ESCAPES =
  // deno-lint-ignore no-control-regex -- control characters are what this is about
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]/g;
/** Control characters other than tab, newline and carriage return. */
// deno-lint-ignore no-control-regex -- as above
const CONTROLS = /[\x00-\x07\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

export interface CleanOptions {
  /** Whether ANSI escapes and control characters are kept. */
  readonly keepAnsi: boolean;
}

/** Decodes `bytes`; invalid UTF-8 becomes U+FFFD. */
export function cleanText(bytes: Uint8Array, options: CleanOptions): string {
  // `ignoreBOM` keeps a byte order mark as a character instead of swallowing it.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  // Most output needs no cleaning, and scanning the bytes is faster than scanning the text.
  return collapseCarriageReturns(options.keepAnsi || !hasControls(bytes) ? text : stripAnsi(text));
}

/** `text` without ANSI escapes, backspaced characters and other control characters; carriage returns stay. */
export function stripAnsi(text: string): string {
  const plain = text.replace(ESCAPES, "");
  const unstruck = plain.includes("\b") ? applyBackspaces(plain) : plain;
  return unstruck.replace(CONTROLS, "");
}

/**
 * Each line as a terminal would show it at the end: what stands after its last carriage return, `\r\n` being a newline.
 * @example collapseCarriageReturns("1 %\r50 %\r100 %\ndone\r\n") // "100 %\ndone\n"
 */
export function collapseCarriageReturns(text: string): string {
  if (!text.includes("\r")) return text;
  return text.split("\n").map(lastDrawing).join("\n");
}

function lastDrawing(line: string): string {
  let end = line.length;
  while (end > 0 && line.charAt(end - 1) === "\r") end--;
  return line.slice(end === 0 ? 0 : line.lastIndexOf("\r", end - 1) + 1, end);
}

/** `man` and others draw bold as `x BACKSPACE x`; the character before each backspace goes. */
function applyBackspaces(text: string): string {
  const kept: string[] = [];
  for (const character of text) {
    if (character !== "\b") kept.push(character);
    else if (kept.length > 0 && kept.at(-1) !== "\n") kept.pop();
  }
  return kept.join("");
}
