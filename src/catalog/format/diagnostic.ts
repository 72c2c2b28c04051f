/** Diagnostics: what is wrong in a tool file, first at a path of its JSON, then at a line and column (T4). */
import { compareText } from "../../base/text.ts";

/** A diagnostic before its line and column are known. */
export interface UnplacedDiagnostic {
  readonly severity: "error" | "warning";
  /** Keys and indexes from the top of the file; empty: the whole file. */
  readonly path: readonly (string | number)[];
  /** What the diagnostic points at: the value itself, or the key above it. */
  readonly at: "value" | "key";
  /** As in `Diagnostic`. */
  readonly message: string;
}

/** A problem of a tool file with its place. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  readonly file: string;
  /** JSON pointer into the file; empty: the whole file. */
  readonly pointer: string;
  /** 1-based; 0 when there is no place to point at. */
  readonly line: number;
  readonly column: number;
  /** A whole sentence without the place, remedy included. */
  readonly message: string;
  /** The file's text could not be had, and whether the next attempt may succeed; absent: the text was read. */
  readonly unreadable?: "transient" | "permanent";
}

/** Limit of diagnostics for one file. */
export const MOST_DIAGNOSTICS = 50;

/** The first of them, errors before warnings, and one that says how many more there are. */
export function firstDiagnostics(diagnostics: readonly UnplacedDiagnostic[]): readonly UnplacedDiagnostic[] {
  if (diagnostics.length <= MOST_DIAGNOSTICS) return diagnostics;
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const warnings = diagnostics.filter(({ severity }) => severity === "warning");
  const more = `The file has more mistakes than these ${MOST_DIAGNOSTICS}: mend them first`;
  return [...[...errors, ...warnings].slice(0, MOST_DIAGNOSTICS), warningAt([], more)];
}

/** An error at the value under `path`. */
export function errorAt(path: readonly (string | number)[], message: string): UnplacedDiagnostic {
  return { severity: "error", path, at: "value", message };
}

/** A warning at the value under `path`. */
export function warningAt(path: readonly (string | number)[], message: string): UnplacedDiagnostic {
  return { severity: "warning", path, at: "value", message };
}

/**
 * The JSON pointer (RFC 6901) of a path.
 *
 * @example pointerOf(["a", 0]) // "/a/0"
 */
export function pointerOf(path: readonly (string | number)[]): string {
  return path.map((part) => "/" + String(part).replaceAll("~", "~0").replaceAll("/", "~1")).join("");
}

/**
 * The diagnostic on one line, as compilers write it.
 *
 * @example "git.json:3:5: error: Field \"optons\" is unknown; did you mean \"options\"? (/optons)"
 */
export function describeDiagnostic({ severity, file, pointer, line, column, message }: Diagnostic): string {
  const place = line === 0 ? file : `${file}:${line}:${column}`;
  return `${place}: ${severity}: ${message}${pointer === "" ? "" : ` (${pointer})`}`;
}

/** Errors first, then by file and place. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.toSorted((one, other) =>
    compareText(one.severity, other.severity) || compareText(one.file, other.file) || one.line - other.line ||
    one.column - other.column
  );
}
