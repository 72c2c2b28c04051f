/** Parses patches in the envelope that some models are trained on: hunks per file, located by their lines. Pure. */
import { shownValue } from "../../base/text.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";

/** What a patch does to one file. */
export type FilePatch =
  | { readonly kind: "add"; readonly path: string; readonly text: string }
  | { readonly kind: "delete"; readonly path: string }
  | {
    readonly kind: "update";
    readonly path: string;
    /** Its new path; undefined: it stays. */
    readonly moveTo: string | undefined;
    readonly hunks: readonly Hunk[];
  };

/** Lines of a file and their replacement; both texts are whole lines, or empty. */
export interface Hunk {
  /** Lines that precede it, in order. */
  readonly anchors: readonly string[];
  readonly oldText: string;
  readonly newText: string;
  /** Whether it must be at the end of the file. */
  readonly atEnd: boolean;
  /** Its line in the patch, from 1. */
  readonly line: number;
}

const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const ADD = "*** Add File: ";
const UPDATE = "*** Update File: ";
const DELETE = "*** Delete File: ";
const MOVE = "*** Move to: ";
const END_OF_FILE = "*** End of File";
/** The hunk header of a unified diff; the text after it is not an anchor. */
const UNIFIED_HEAD = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/;

/** Parses the files of a patch. The problem names the line that cannot be read. */
export function parsePatch(text: string): Outcome<readonly FilePatch[]> {
  const lines = text.replaceAll("\r\n", "\n").trimEnd().split("\n");
  const first = lines.findIndex((line) => line.trim() !== "");
  if (lines[first]?.trim() !== BEGIN) {
    return failure(`line ${first + 1} is ${shownValue(lines[first] ?? "")}, expected "${BEGIN}"`);
  }
  if (lines.at(-1)?.trim() !== END) return failure(`the last line is not "${END}", so it may have been cut off`);
  return new PatchReader(lines.slice(0, -1), first + 1).read();
}

/** The reading of one patch. */
class PatchReader {
  readonly #lines: readonly string[];
  /** The next line, from 0. */
  #at: number;

  constructor(lines: readonly string[], at: number) {
    this.#lines = lines;
    this.#at = at;
  }

  read(): Outcome<readonly FilePatch[]> {
    const files: FilePatch[] = [];
    while (this.#line !== undefined) {
      const file = this.#file();
      if (!file.ok) return file;
      files.push(file.value);
    }
    if (files.length === 0) return failure("it names no file");
    const paths = files.flatMap((file) => file.kind === "update" ? [file.path, file.moveTo ?? []].flat() : [file.path]);
    const twice = paths.find((path, at) => paths.indexOf(path) !== at);
    return twice === undefined ? success(files) : failure(`"${twice}" stands in it twice; give all its hunks at once`);
  }

  get #line(): string | undefined {
    return this.#lines[this.#at];
  }

  #file(): Outcome<FilePatch> {
    const add = this.#taken(ADD);
    if (add !== undefined) return this.#added(add);
    const path = this.#taken(DELETE);
    if (path !== undefined) return success({ kind: "delete", path });
    const update = this.#taken(UPDATE);
    return update === undefined ? this.#unexpected(`"${ADD}", "${UPDATE}" or "${DELETE}"`) : this.#updated(update);
  }

  /** If the line begins with these words, consumes it and returns the rest; undefined: it does not. */
  #taken(words: string): string | undefined {
    const line = this.#line;
    if (line?.startsWith(words) !== true) return undefined;
    this.#at++;
    return line.slice(words.length).trim();
  }

  #unexpected(expected: string): Outcome<never> {
    return failure(`line ${this.#at + 1} is ${shownValue(this.#line ?? "")}, expected ${expected}`);
  }

  #added(path: string): Outcome<FilePatch> {
    let text = "";
    while (this.#line !== undefined && !isFileHead(this.#line)) {
      if (!this.#line.startsWith("+")) return this.#unexpected('a line of the new file, which begins with "+"');
      text += `${this.#line.slice(1)}\n`;
      this.#at++;
    }
    return success({ kind: "add", path, text });
  }

  #updated(path: string): Outcome<FilePatch> {
    const moveTo = this.#taken(MOVE);
    if (this.#line?.startsWith("--- ") === true && this.#lines[this.#at + 1]?.startsWith("+++ ") === true) {
      this.#at += 2;
    }
    const hunks: Hunk[] = [];
    while (this.#line !== undefined && !isFileHead(this.#line)) {
      const hunk = this.#hunk();
      if (!hunk.ok) return hunk;
      hunks.push(hunk.value);
    }
    if (hunks.length === 0 && moveTo === undefined) return failure(`"${path}" has no hunk, so nothing would change`);
    return success({ kind: "update", path, moveTo, hunks });
  }

  #hunk(): Outcome<Hunk> {
    const line = this.#at + 1;
    const anchors: string[] = [];
    while (this.#line?.startsWith("@@") === true) {
      const anchor = UNIFIED_HEAD.test(this.#line) ? "" : this.#line.slice("@@".length).replace(/\s*@@\s*$/, "").trim();
      if (anchor !== "") anchors.push(anchor);
      this.#at++;
    }
    let [oldText, newText, isChange] = ["", "", false];
    for (; this.#line !== undefined; this.#at++) {
      const [sign = " ", rest] = [this.#line.charAt(0) || " ", `${this.#line.slice(1)}\n`];
      if (this.#line.startsWith("\\")) continue;
      if (!" +-".includes(sign)) break;
      if (sign !== "+") oldText += rest;
      if (sign !== "-") newText += rest;
      isChange ||= sign !== " ";
    }
    const atEnd = this.#taken(END_OF_FILE) !== undefined;
    if (isChange) return success({ anchors, oldText, newText, atEnd, line });
    if (this.#line === undefined || isFileHead(this.#line)) {
      return failure(`the hunk at line ${line} changes nothing: no line of it begins with "+" or "-"`);
    }
    return this.#unexpected('a line that begins with " ", "+", "-" or "@@"');
  }
}

function isFileHead(line: string): boolean {
  return [ADD, UPDATE, DELETE].some((head) => line.startsWith(head));
}
