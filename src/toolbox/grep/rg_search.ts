/** The command line of `rg` and the parsing of its messages. Pure. */
import { isObject, member, parseJson } from "../../wire/json_value.ts";
import { globsOfType } from "./file_types.ts";
import { type FoundFile, type FoundLine, shownLine } from "./found_lines.ts";
import type { GrepQuery } from "./grep_query.ts";
import { RG_SCOPE } from "../find/list_files.ts";

/** The arguments of `rg`; `path`: the searched path, relative to the working directory. */
export function rgArguments(query: GrepQuery, path: string): readonly string[] {
  return [
    ...rgChoice(query),
    "--json",
    "--crlf",
    ...query.fixed ? ["--fixed-strings"] : [],
    ...query.word ? ["--word-regexp"] : [],
    ...query.insensitive ? ["--ignore-case"] : ["--case-sensitive"],
    ...query.invert ? ["--invert-match"] : [],
    ...query.multiline ? ["--multiline", "--multiline-dotall"] : [],
    `--before-context=${query.before}`,
    `--after-context=${query.after}`,
    `--regexp=${query.pattern}`,
    "--",
    path,
  ];
}

/** The arguments that select files. */
export function rgChoice({ type, globs, respectIgnore }: GrepQuery): readonly string[] {
  return [
    ...globs.map((glob) => `--glob=${glob}`),
    // The last matching pattern decides.
    ...RG_SCOPE,
    ...respectIgnore ? [] : ["--no-ignore"],
    ...type === undefined ? [] : typeWords(type),
  ];
}

function typeWords(type: string): readonly string[] {
  const globs = globsOfType(type);
  if (globs === undefined) return [`--type=${type}`];
  return [`--type-clear=${type}`, ...globs.map((glob) => `--type-add=${type}:${glob}`), `--type=${type}`];
}

/** Collects the messages of `rg` by file; binary files are left out. */
export class RgMessages {
  readonly #most: number;
  readonly #onFile: (file: FoundFile) => void;
  /** Whether the search completed. */
  hasEnded = false;
  /** Lines of the current file. */
  #path = "";
  #lines: FoundLine[] = [];
  #matches = 0;

  /** `most`: at most this many matching lines of a file are kept, with their context. */
  constructor(most: number, onFile: (file: FoundFile) => void) {
    this.#most = most;
    this.#onFile = onFile;
  }

  /** Takes one line of output. */
  take(line: string): void {
    const parsed = parseJson(line);
    if (!parsed.ok) return;
    const data = member(parsed.value, "data");
    switch (member(parsed.value, "type")) {
      case "begin":
        this.#path = textOf(member(data, "path")).replace(/^\.\//, "");
        this.#lines = [];
        this.#matches = 0;
        return;
      case "match":
        return this.#takeLines(data, { isMatch: true });
      case "context":
        return this.#takeLines(data, { isMatch: false });
      case "end":
        return this.#end(data);
      case "summary":
        this.hasEnded = true;
    }
  }

  #takeLines(data: unknown, { isMatch }: { readonly isMatch: boolean }): void {
    const text = textOf(member(data, "lines"));
    const first = Number(member(data, "line_number"));
    const at = firstMatch(data, text);
    for (const [index, line] of text.replace(/\n$/, "").split("\n").entries()) {
      if (isMatch) this.#matches++;
      if (this.#matches > this.#most + 1) continue;
      this.#lines.push({ number: first + index, text: shownLine(line, index === 0 ? at : 0), isMatch });
    }
  }

  #end(data: unknown): void {
    const isBinary = typeof member(data, "binary_offset") === "number";
    if (!isBinary && this.#matches > 0) this.#onFile({ path: this.#path, matches: this.#matches, lines: this.#lines });
  }
}

/** The text of a value that may be base64 bytes. */
function textOf(value: unknown): string {
  const text = member(value, "text");
  if (typeof text === "string") return text;
  const bytes = member(value, "bytes");
  return typeof bytes === "string" ? new TextDecoder().decode(Uint8Array.fromBase64(bytes)) : "";
}

/** Where the first match begins, in units of the text; `rg` counts bytes. */
function firstMatch(data: unknown, text: string): number {
  const matches = member(data, "submatches");
  const [first] = Array.isArray(matches) ? matches : [];
  const start = isObject(first) ? Number(first["start"]) : 0;
  if (start === 0 || text.length <= start / 4) return 0;
  return new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, start)).length;
}
