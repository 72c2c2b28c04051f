import type { CatalogProblem } from "../../../catalog/model/leaf.ts";
import { describeProblem } from "../../../catalog/model/problem.ts";
import type { Colours } from "../../terminal/colours.ts";

/** How a problem is shown. */
export interface ExcerptStyle {
  /** With the line of the file and a mark under the place. */
  readonly excerpt: boolean;
  readonly colours: Colours;
}

/** Longer lines are cut around the place. */
const WIDTH = 96;

/**
 * A problem as compilers show it: `file:line:column: error: message`, and on a terminal the line it is about with a
 * mark under the column. `text`: the file's; undefined where it could not be read.
 */
export function describeWithSource(problem: CatalogProblem, text: string | undefined, style: ExcerptStyle): string {
  const { colours, excerpt } = style;
  const mark = problem.severity === "error" ? colours.red : colours.yellow;
  const said = describeProblem(problem);
  const word = `: ${problem.severity}: `;
  const at = said.indexOf(word);
  const line = `${colours.bold(said.slice(0, at))}: ${mark(problem.severity)}: ${said.slice(at + word.length)}`;
  if (!excerpt || text === undefined || problem.line === 0) return line;
  const { source, column } = cutAround(text.split("\n")[problem.line - 1] ?? "", problem.column - 1);
  return `${line}\n  ${source}\n  ${" ".repeat(column)}${mark("^")}`;
}

/** What the terminal shows of a line: control characters would move its cursor, so they become blanks. */
function cutAround(line: string, column: number): { readonly source: string; readonly column: number } {
  const plain = line.replaceAll(/\p{Cc}/gu, " ").trimEnd();
  const start = column < WIDTH - 8 ? 0 : column - WIDTH / 2;
  return { source: plain.slice(start, start + WIDTH), column: column - start };
}
