import { describeDiagnostic, type Diagnostic } from "../../../base/diagnostic.ts";
import type { Colours } from "../../terminal/colours.ts";

/** Style of a diagnostic. */
interface ExcerptStyle {
  /** Whether the line of the file follows, with a mark under the position. */
  readonly excerpt: boolean;
  readonly colours: Colours;
}

/** Longer lines are cut around the position. */
const WIDTH = 96;

/**
 * A diagnostic in the form of compilers: `file:line:column: error: message`, and on a terminal the line with a mark
 * under the column. `text` is that of the file; undefined: the file could not be read.
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

/** A line for the terminal: control characters would move the cursor and become blanks. */
function cutAround(line: string, column: number): { readonly source: string; readonly column: number } {
  const plain = line.replaceAll(/\p{Cc}/gu, " ").trimEnd();
  const start = column < WIDTH - 8 ? 0 : column - WIDTH / 2;
  return { source: plain.slice(start, start + WIDTH), column: column - start };
}
