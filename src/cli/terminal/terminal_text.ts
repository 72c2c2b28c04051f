/** Filters text for a terminal (S22): no text may move the cursor or fill the clipboard. */
import { encodeText } from "../../base/text.ts";
import { visibleText, writtenOut } from "../../base/visible_text.ts";

/** The marks of `colours.ts`, of the log and of the echo. */
// deno-lint-ignore no-control-regex -- they begin with ESC
const OWN_MARK = /(\x1b\[(?:[012]|3[0-7])m)/;

/** A message of this program: colours stay, other control characters become visible. */
export function messageText(text: string): string {
  return text.split(OWN_MARK).map((part, index) => index % 2 === 1 ? part : writtenOut(part)).join("");
}

/** Longest sequence that is read as a colour, characters. */
const LONGEST_SEQUENCE = 64;

/** The part of a sequence that has come; undefined: plain text. */
type Sequence =
  /** ESC and what follows it, to be continued. */
  | { readonly kind: "escape"; readonly intermediates: boolean }
  /** Its parameters. */
  | { readonly kind: "control"; readonly text: string }
  /** OSC, DCS, SOS, PM, APC: up to BEL or ST, at most to the end of the line. */
  | { readonly kind: "string" };

/** Output on its way to a terminal: colours (SGR), tab, LF, CR and backspace stay. Pieces may cut sequences. */
export class TerminalFilter {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #sequence: Sequence | undefined;
  #coloured = false;

  /** The part of `chunk` that may be shown. */
  push(chunk: Uint8Array): Uint8Array {
    return this.#filtered(this.#decoder.decode(chunk, { stream: true }));
  }

  /** The rest at the end, which switches colours off. */
  end(): Uint8Array {
    const rest = this.#decoder.decode();
    const last = new TextDecoder().decode(this.#filtered(rest));
    return encodeText(last + (this.#coloured ? "\x1b[0m" : ""));
  }

  #filtered(text: string): Uint8Array {
    if (this.#sequence === undefined && visibleText(text) === text) return encodeText(text);
    const shown: string[] = [];
    for (const character of text) shown.push(this.#next(character));
    return encodeText(shown.join(""));
  }

  /** The text that `character` adds. */
  #next(character: string): string {
    const begun = BEGINNINGS.get(character);
    if (begun !== undefined) {
      this.#sequence = begun;
      return "";
    }
    const { kind } = this.#sequence ?? {};
    if (kind === "escape") return this.#afterEscape(character);
    if (kind === "control") return this.#inControl(character);
    if (kind === "string") return this.#inString(character);
    return STAYING.has(character) ? character : visibleText(character);
  }

  #afterEscape(character: string): string {
    const first = this.#sequence?.kind === "escape" && !this.#sequence.intermediates;
    const code = character.charCodeAt(0);
    this.#sequence = undefined;
    if (first && character === "[") this.#sequence = { kind: "control", text: "" };
    else if (first && "]PX^_".includes(character)) this.#sequence = { kind: "string" };
    else if (code >= 0x20 && code <= 0x2f) this.#sequence = { kind: "escape", intermediates: true };
    else if (code < 0x20 || code > 0x7e) return this.#next(character);
    return "";
  }

  #inControl(character: string): string {
    const before = this.#sequence?.kind === "control" ? this.#sequence.text : "";
    const code = character.charCodeAt(0);
    this.#sequence = undefined;
    if (code < 0x20 || code > 0x7e) return this.#next(character);
    if (code < 0x40) {
      const text = before.length < LONGEST_SEQUENCE ? before + character : before;
      this.#sequence = { kind: "control", text };
      return "";
    }
    if (character !== "m" || before.length >= LONGEST_SEQUENCE || !/^[\d;:]*$/.test(before)) return "";
    this.#coloured = true;
    return `\x1b[${before}m`;
  }

  #inString(character: string): string {
    if (character !== "\x07" && character !== "\x9c" && character !== "\n") return "";
    this.#sequence = undefined;
    return character === "\n" ? character : "";
  }
}

/** Characters that begin a sequence; `ESC \\` (ST) is one of them. */
const BEGINNINGS: ReadonlyMap<string, Sequence> = new Map<string, Sequence>([
  ["\x1b", { kind: "escape", intermediates: false }],
  ["\x9b", { kind: "control", text: "" }],
  ...["\x90", "\x98", "\x9d", "\x9e", "\x9f"].map((one) => [one, { kind: "string" }] as const),
]);

/** Characters that move the cursor within the line. */
const STAYING: ReadonlySet<string> = new Set(["\r", "\b"]);
