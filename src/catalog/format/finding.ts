/** What is wrong in a tool file, before its line and column are known. */
export interface Finding {
  readonly severity: "error" | "warning";
  /** Keys and indexes from the top of the file; empty: the whole file. */
  readonly path: readonly (string | number)[];
  /** What the finding points at: the value itself, or the key it stands under. */
  readonly at: "value" | "key";
  /** As in `CatalogProblem`. */
  readonly message: string;
}

/** So many are told of one file; who mends those finds the next. */
export const MOST_FINDINGS = 50;

/** The first of them, errors before warnings, and one that says how many more there are. */
export function firstFindings(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length <= MOST_FINDINGS) return findings;
  const errors = findings.filter(({ severity }) => severity === "error");
  const warnings = findings.filter(({ severity }) => severity === "warning");
  const more = `The file has more mistakes than these ${MOST_FINDINGS}: mend them first`;
  return [...[...errors, ...warnings].slice(0, MOST_FINDINGS), warningAt([], more)];
}

/** An error at the value under `path`. */
export function errorAt(path: readonly (string | number)[], message: string): Finding {
  return { severity: "error", path, at: "value", message };
}

/** A warning at the value under `path`. */
export function warningAt(path: readonly (string | number)[], message: string): Finding {
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
