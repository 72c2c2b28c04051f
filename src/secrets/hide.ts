/**
 * Hides texts in a server's answer (S33): each byte of them becomes an asterisk, so that lengths stay. Overlapping
 * texts are all searched for in the original: hiding one never keeps a part of another from being found.
 */
import { concatenate } from "../base/bytes.ts";

const ASTERISK = 0x2a;

/** The text with these hidden; none of them is empty. */
export function hideIn(text: string, hidden: readonly string[]): string {
  const shown = text.split("");
  for (const { from, to } of placesOf(hidden, text)) shown.fill("*", from, to);
  return shown.join("");
}

/** A stream with these hidden, even across two chunks. Only bytes that may be the beginning of one are held back.
 * `hidden` are texts of ASCII, none empty.
 */
export function hidingStream(hidden: readonly string[]): TransformStream<Uint8Array, Uint8Array> {
  let held = new Uint8Array(0);
  /** The held bytes, without those known to be hidden. */
  let heldShown = new Uint8Array(0);
  return new TransformStream({
    transform(chunk, controller) {
      const bytes = concatenate([held, chunk]);
      const shown = concatenate([heldShown, chunk]);
      // One character for each byte, and strings are searched faster than bytes.
      const text = new TextDecoder("latin1").decode(bytes);
      for (const { from, to } of placesOf(hidden, text)) shown.fill(ASTERISK, from, to);
      const end = bytes.length - Math.max(0, ...hidden.map((one) => begunAtEnd(text, one)));
      held = bytes.slice(end);
      heldShown = shown.slice(end);
      if (end > 0) controller.enqueue(shown.subarray(0, end));
    },
    flush(controller) {
      if (heldShown.length > 0) controller.enqueue(heldShown);
    },
  });
}

function placesOf(hidden: readonly string[], text: string): readonly { readonly from: number; readonly to: number }[] {
  const places: { readonly from: number; readonly to: number }[] = [];
  for (const one of hidden) {
    for (let from = text.indexOf(one); from >= 0; from = text.indexOf(one, from + 1)) {
      places.push({ from, to: from + one.length });
    }
  }
  return places;
}

/** How many characters at the end may be its beginning. */
function begunAtEnd(text: string, one: string): number {
  for (let length = Math.min(one.length - 1, text.length); length > 0; length--) {
    if (text[text.length - length] === one[0] && text.endsWith(one.slice(0, length))) return length;
  }
  return 0;
}
