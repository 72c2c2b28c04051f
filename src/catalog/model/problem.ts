import type { CatalogProblem } from "./leaf.ts";

/**
 * A problem on one line, as compilers write it.
 *
 * @example "git.json:3:5: error: Field \"optons\" is unknown; did you mean \"options\"? (/optons)"
 */
export function describeProblem(problem: CatalogProblem): string {
  const place = problem.line === 0 ? problem.file : `${problem.file}:${problem.line}:${problem.column}`;
  const pointer = problem.pointer === "" ? "" : ` (${problem.pointer})`;
  return `${place}: ${problem.severity}: ${problem.message}${pointer}`;
}

/** Worst first, then by file and place. */
export function sortProblems(problems: readonly CatalogProblem[]): readonly CatalogProblem[] {
  return problems.toSorted((one, other) =>
    rank(one) - rank(other) || compareText(one.file, other.file) || one.line - other.line ||
    one.column - other.column
  );
}

/** Order of code units: the same on every machine, whatever its language. */
export function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function rank(problem: CatalogProblem): number {
  return problem.severity === "error" ? 0 : 1;
}
