/** Diagnostics: what is wrong in a file, at which line and column, and what to do (T4). */
import { compareText } from "./text.ts";

/** A problem of a file that a person writes, with its place. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  readonly file: string;
  /** JSON pointer into the file; empty: the whole file, or a file that is not JSON. */
  readonly pointer: string;
  /** 1-based; 0 if no place is known. */
  readonly line: number;
  readonly column: number;
  /** A whole sentence without the place, remedy included. */
  readonly message: string;
  /** The file could not be read, and whether the next attempt may succeed; absent: the file was read. */
  readonly unreadable?: "transient" | "permanent";
}

/** Reports a file that cannot be read until it is changed. */
export function permanent(file: string, message: string): Diagnostic {
  return { severity: "error", file, pointer: "", line: 0, column: 0, message, unreadable: "permanent" };
}

/** Reports a file that cannot be read at the moment, for example because it is being replaced. */
export function transient(file: string, message: string): Diagnostic {
  return { ...permanent(file, message), unreadable: "transient" };
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

/** The diagnostic of a file whose last good version stays in service; a warning is returned unchanged. */
export function keptInService(diagnostic: Diagnostic): Diagnostic {
  if (diagnostic.severity !== "error") return diagnostic;
  return { ...diagnostic, message: `${diagnostic.message} (the last good version stays in service)` };
}

/** At most this many diagnostics are listed. */
const MOST_LISTED = 20;

/** The first diagnostics, one a line, under a title; empty if there are none. */
export function diagnosticLines(title: string, diagnostics: readonly Diagnostic[]): readonly string[] {
  if (diagnostics.length === 0) return [];
  const more = diagnostics.length > MOST_LISTED ? [`... ${diagnostics.length - MOST_LISTED} more`] : [];
  return [title, ...diagnostics.slice(0, MOST_LISTED).map(describeDiagnostic), ...more];
}
