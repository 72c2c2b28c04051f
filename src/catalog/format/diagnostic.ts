/** Diagnostics: what is wrong in a tool file, first at a path of its JSON, then at a line and column (T4). */

/** A diagnostic before its line and column are known. */
export interface UnplacedDiagnostic {
  readonly severity: "error" | "warning";
  /** Keys and indexes from the top of the file; empty: the whole file. */
  readonly path: readonly (string | number)[];
  /** What the diagnostic points at: the value itself, or the key above it. */
  readonly at: "value" | "key";
  /** As in `Diagnostic` of `base/diagnostic.ts`. */
  readonly message: string;
}

/** Limit of diagnostics for one file. */
export const MOST_DIAGNOSTICS = 50;

/** The first diagnostics, errors before warnings, and one that says how many more there are. */
export function firstDiagnostics(diagnostics: readonly UnplacedDiagnostic[]): readonly UnplacedDiagnostic[] {
  if (diagnostics.length <= MOST_DIAGNOSTICS) return diagnostics;
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const warnings = diagnostics.filter(({ severity }) => severity === "warning");
  const more = `The file has more mistakes than these ${MOST_DIAGNOSTICS}: fix them first`;
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

/** The diagnostics among the results of checks: a check that finds nothing is false. */
export function findings(...checks: readonly (UnplacedDiagnostic | false)[]): readonly UnplacedDiagnostic[] {
  return checks.filter((found) => found !== false);
}

/**
 * The JSON pointer (RFC 6901) of a path.
 *
 * @example pointerOf(["a", 0]) // "/a/0"
 */
export function pointerOf(path: readonly (string | number)[]): string {
  return path.map((part) => "/" + String(part).replaceAll("~", "~0").replaceAll("/", "~1")).join("");
}
