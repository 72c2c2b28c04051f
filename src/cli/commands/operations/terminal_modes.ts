/** The key that detaches, the state in which a program may leave a person's terminal, and the way out of it (X24). */

/** Longer sequences do not switch screens, characters. */
const LONGEST_SEQUENCE = 32;
// deno-lint-ignore no-control-regex -- the sequences that switch screens begin with ESC
const SCREENS = /\x1b\[\?(?:[\d;]*;)?(?:1049|1047|47)(?:;[\d;]*)?([hl])/g;

/** Notices whether a program draws on the other screen, from all that it writes; sequences may be cut anywhere. */
export class ScreenTracker {
  #last = "";
  #isOther = false;

  get isOther(): boolean {
    return this.#isOther;
  }

  push(bytes: Uint8Array): void {
    const text = this.#last + new TextDecoder("latin1").decode(bytes);
    for (const [, switched] of text.matchAll(SCREENS)) this.#isOther = switched === "h";
    this.#last = text.slice(-LONGEST_SEQUENCE);
  }
}

/** Modes that are off in a shell: cursor keys, the mouse and its reports, focus, pasting, synchronized drawing. */
const OFF = [1, 9, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 2004, 2026].map((mode) => `\x1b[?${mode}l`).join("");
/** Plain colours and characters; inserting off; plain keys, also of kitty and xterm; the whole screen scrolls. */
const PLAIN = "\x1b[0m\x1b(B\x0f\x1b[4l\x1b>\x1b[=0u\x1b[>4;0m\x1b7\x1b[r\x1b8";
/** Wrapped lines, and the cursor as it was. */
const ON = "\x1b[?7h\x1b[?25h\x1b[0 q";

/** Restores a terminal to a state in which a shell can continue; does not change its title. */
export function resetSequence({ isOther }: Pick<ScreenTracker, "isOther">): string {
  return `${OFF}${PLAIN}${ON}${isOther ? "\x1b[?1049l" : ""}`;
}

/** The code of ctrl-]. */
export const DETACH_CODE = 0x1d;
/** As terminals write it where a program has asked for keys with their modifiers (kitty, xterm). */
const WRITTEN = ["\x1b[93;5u", "\x1b[27;5;93~"];

/** What precedes ctrl-] among what a person types; undefined: it is not there, and all is for the operation. */
export function beforeDetachKey(bytes: Uint8Array): Uint8Array | undefined {
  const text = String.fromCharCode(...bytes);
  const places = [bytes.indexOf(DETACH_CODE), ...WRITTEN.map((one) => text.indexOf(one))].filter((at) => at >= 0);
  return places.length === 0 ? undefined : bytes.subarray(0, Math.min(...places));
}
