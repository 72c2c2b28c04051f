import { describeDiagnostic, type Diagnostic } from "../../../catalog/format/diagnostic.ts";
import type { Colours } from "../../terminal/colours.ts";

/** How a diagnostic is shown. */
interface ExcerptStyle {
  /** With the line of the file and a mark under the place. */
  readonly excerpt: boolean;
  readonly colours: Colours;
}

/** Longer lines are cut around the place. */
const WIDTH = 96;

/**
 * A diagnostic as compilers show it: `file:line:column: error: message`, and on a terminal the line it is about with a
 * mark under the column. `text`: the file's; undefined where it could not be read.
 */
export function describeWithSource(diagnostic: Diagnostic, text: string | undefined, style: ExcerptStyle): string {
  const { colours, excerpt } = style;
  const mark = diagnostic.severity === "error" ? colours.red : colours.yellow;
  const said = describeDiagnostic(diagnostic);
  const word = `: ${diagnostic.severity}: `;
  const at = said.indexOf(word);
  const line = `${colours.bold(said.slice(0, at))}: ${mark(diagnostic.severity)}: ${said.slice(at + word.length)}`;
  if (!excerpt || text === undefined || diagnostic.line === 0) return line;
  const { source, column } = cutAround(text.split("\n")[diagnostic.line - 1] ?? "", diagnostic.column - 1);
  return `${line}\n  ${source}\n  ${" ".repeat(column)}${mark("^")}`;
}

/** What the terminal shows of a line: control characters would move its cursor, so they become blanks. */
function cutAround(line: string, column: number): { readonly source: string; readonly column: number } {
  const plain = line.replaceAll(/\p{Cc}/gu, " ").trimEnd();
  const start = column < WIDTH - 8 ? 0 : column - WIDTH / 2;
  return { source: plain.slice(start, start + WIDTH), column: column - start };
}
