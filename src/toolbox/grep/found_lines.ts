/** Collects the results of a search in bounded memory. Pure. */

/** A line of a file. */
export interface FoundLine {
  /** From 1. */
  readonly number: number;
  /** Without its line ending; a long line is cut around the match. */
  readonly text: string;
  readonly isMatch: boolean;
}

/** Matching lines of one file, and those around them. */
export interface FoundFile {
  /** As the answer names it. */
  readonly path: string;
  /** Number of all matching lines of the file. */
  readonly matches: number;
  /** The first of them, in order. */
  readonly lines: readonly FoundLine[];
}

const LONGEST_LINE = 500;
/** Characters of a long line that are shown before its match. */
const LEAD = 100;
/** Keeps up to this many times the needed lines before it drops some. */
const SLACK = 4;

/** The files of a search in order of their paths, with as many lines as are needed. */
export class FoundLines {
  readonly #needed: number;
  #files: FoundFile[] = [];
  #kept = 0;
  #matches = 0;

  /** `needed`: matching lines that may be shown. */
  constructor(needed: number) {
    this.#needed = needed;
  }

  /** Adds a file; files may come in any order, each once. */
  add(file: FoundFile): void {
    this.#matches += file.matches;
    this.#files.push(file);
    this.#kept += file.lines.length;
    if (this.#kept > SLACK * (this.#needed + LONGEST_LINE)) this.#forget();
  }

  /** All files with a match; files beyond the shown part have no lines. */
  get files(): readonly FoundFile[] {
    this.#forget();
    return this.#files;
  }

  get matches(): number {
    return this.#matches;
  }

  #forget(): void {
    this.#files.sort((one, other) => one.path < other.path ? -1 : 1);
    let before = 0;
    this.#kept = 0;
    this.#files = this.#files.map((file) => {
      const lines = before >= this.#needed ? [] : file.lines;
      before += file.matches;
      this.#kept += lines.length;
      return lines.length === file.lines.length ? file : { ...file, lines };
    });
  }
}

/** A line as shown; `at`: where its match begins. */
export function shownLine(line: string, at: number): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  if (text.length <= LONGEST_LINE) return text;
  const start = wholeCharacter(text, Math.max(0, Math.min(at - LEAD, text.length - LONGEST_LINE)));
  const end = wholeCharacter(text, start + LONGEST_LINE);
  const place = start === 0 ? "" : `[column ${start + 1}] …`;
  return `${place}${text.slice(start, end)}${end < text.length ? ` … [+${text.length - end} chars]` : ""}`;
}

/** The nearest place that does not split a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}
