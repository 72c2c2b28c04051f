/**
 * A terminal emulator with limits on its work and memory (X22). Three limits lack a public setting. They use internal
 * names of the version that deno.json pins; without these names there is no screen.
 */
import type { IUnicodeVersionProvider, Terminal } from "@xterm/headless";

/** CSI sequences with a repeat count: for lines, tabs, or the last character. */
const COUNTING = ["L", "M", "S", "T", "I", "Z", "b"] as const;
/** Marks on one character, such as accents. */
const MOST_MARKS = 16;
const UNICODE = "bounded";
/** What the emulator knows of a character: a number of ours, its width, and whether it joins the one before. */
const JOINS = 1;
const NUMBER_AT = 3;
const ONE_CELL = 1 << 1;

interface Inner {
  readonly _core: {
    readonly unicodeService: { readonly _activeProvider: IUnicodeVersionProvider };
    readonly _inputHandler: {
      readonly _parser: Readonly<Record<"_oscParser" | "_dcsParser", { _handlers: object }>>;
    };
    registerCsiHandler(id: { readonly final: string }, handle: (numbers: { params: Int32Array }) => boolean): void;
  };
}

/** @throws {Error} When the emulator cannot be loaded, or is another than the one whose inner names are known. */
export async function boundedEmulator(columns: number, rows: number): Promise<Terminal> {
  const { default: { Terminal } } = await import("@xterm/headless/emulator") as {
    default: typeof import("@xterm/headless");
  };
  const terminal = new Terminal({ cols: columns, rows, scrollback: 0, allowProposedApi: true });
  const { _core: core } = terminal as unknown as Inner;
  for (const final of COUNTING) {
    core.registerCsiHandler({ final }, ({ params }) => {
      // Repeat counts are limited to the size of the screen, because two thousand million lines would take hours.
      params[0] = Math.min(
        params[0] ?? 0,
        final === "b" ? terminal.rows * terminal.cols : terminal.rows + terminal.cols,
      );
      return false; // the emulator handles it
    });
  }
  // Titles, colours, links and settings are not on the screen; each string may have 10 MB.
  const { _oscParser, _dcsParser } = core._inputHandler._parser;
  for (const parser of [_oscParser, _dcsParser]) parser._handlers = Object.create(null);
  terminal.unicode.register(withFewMarks(core.unicodeService._activeProvider));
  terminal.unicode.activeVersion = UNICODE;
  return terminal;
}

/** Counts the marks on a character; one too many has a place of its own. */
function withFewMarks(base: IUnicodeVersionProvider): IUnicodeVersionProvider {
  return {
    version: UNICODE,
    wcwidth: (character) => base.wcwidth(character),
    charProperties(character, preceding) {
      const properties = base.charProperties(character, preceding);
      if ((properties & JOINS) === 0) return properties;
      const marks = (preceding >> NUMBER_AT) + 1;
      return marks > MOST_MARKS ? ONE_CELL : properties | marks << NUMBER_AT;
    },
  };
}
