/** What audit logs add up to, for people (V1). Pure. */
import { counted } from "../../../base/text.ts";
import { duration } from "../../../base/time.ts";
import type { Colours } from "../../terminal/colours.ts";
import { cut, oneLine, padded, sizeText, widthOf } from "../../terminal/columns.ts";
import type { AuditSum } from "./audit_sum.ts";
import type { ReadLog } from "./log_lines.ts";

export interface AuditReport extends AuditSum {
  /** As typed, such as `7d`. */
  readonly since: string;
  readonly logs: readonly ReadLog[];
}

interface Style {
  readonly width: number;
  readonly colours: Colours;
  readonly deniedOnly: boolean;
}

const MOST_SHOWN = 20;
const LONGEST_CELL = 40;
const LEAST_CELL = 8;

/** The report; it ends with a newline. */
export function auditText(report: AuditReport, { width, colours, deniedOnly }: Style): string {
  const { ran, denials, names, since, killed } = report;
  const refused = names.filter((one) => one.refused > 0);
  const shownNames = deniedOnly ? refused : names;
  const [runs, failed, ms] = [sumOf(ran, "runs"), sumOf(ran, "failed"), sumOf(ran, "totalMs")];
  const byPerson = killed === 0 ? "" : `, ${killed} ended by a person`;
  const sections = [
    [colours.bold(`The last ${since}: ${counted(runs, "run")}, ${failed} failed${byPerson}, ${duration(ms)} in all`)],
    deniedOnly ? [] : table(
      ["TOOL", "PROGRAM", "RUNS", "FAILED", "DENIED", "TIME", "LONGEST", "LAST"],
      ran.map((one) => [
        one.tool,
        one.what,
        `${one.runs}`,
        `${one.failed}`,
        `${one.denied}`,
        duration(one.totalMs),
        duration(one.longestMs),
        one.last.slice(0, 16).replace("T", " "),
      ]),
      width,
    ),
    table(
      ["DENIED", "TIMES", "WAY", "BY"],
      denials.map((one) => [
        one.subject,
        `${one.times}`,
        one.flag ?? "no flag opens it",
        one.tools.slice(0, 3).join(" "),
      ]),
      width,
    ),
    table(
      ["NAME", "CONNECTIONS", "REFUSED", "IN", "OUT"],
      shownNames.map((one) => [
        one.name,
        `${one.connections}`,
        `${one.refused}`,
        sizeText(one.bytesIn),
        sizeText(one.bytesOut),
      ]),
      width,
    ),
    deniedOnly && denials.length + refused.length === 0 ? ["Nothing was denied"] : [],
  ];
  const text = sections.filter((lines) => lines.length > 0).map((lines) =>
    lines.map((line, at) => at === 0 && lines.length > 1 ? colours.dim(line) : line).join("\n")
  ).join("\n\n");
  return `${text}\n`;
}

/** Lines of logs that were not understood, a sentence for each log; empty: there are none. */
export function problemsOf({ logs }: Pick<AuditReport, "logs">): readonly string[] {
  return logs.flatMap(({ path, bad, problem }) => {
    const name = JSON.stringify(path);
    if (problem !== undefined) return [`Cannot read the audit log ${name}: ${problem}`];
    return bad === 0 ? [] : [`${counted(bad, "line")} of ${name} cannot be read: cut off, or not of an audit log`];
  });
}

function table(titles: readonly string[], rows: readonly (readonly string[])[], width: number): readonly string[] {
  if (rows.length === 0) return [];
  const shown = rows.slice(0, MOST_SHOWN).map((row) => row.map((cell) => oneLine(cell)));
  const natural = titles.map((title, at) =>
    Math.min(LONGEST_CELL, Math.max(title.length, ...shown.map((row) => widthOf(row[at] ?? ""))))
  );
  const widths = fitting(natural, width - 2 * (titles.length - 1));
  const line = (cells: readonly string[]) =>
    cut(cells.map((cell, at) => padded(cut(cell, widths[at] ?? 0), widths[at] ?? 0)).join("  ").trimEnd(), width);
  const more = rows.length - shown.length;
  return [line(titles), ...shown.map(line), ...more > 0 ? [cut(`and ${more} more: --json has them`, width)] : []];
}

/** The widest columns give way. */
function fitting(widths: readonly number[], room: number): readonly number[] {
  const widest = Math.max(...widths);
  const over = widths.reduce((sum, one) => sum + one, 0) - room;
  if (over <= 0 || widest <= LEAST_CELL) return widths;
  const at = widths.indexOf(widest);
  return fitting(widths.with(at, Math.max(LEAST_CELL, widest - Math.max(1, Math.min(over, 4)))), room);
}

function sumOf<Key extends string>(rows: readonly Readonly<Record<Key, number>>[], key: Key): number {
  return rows.reduce((sum, row) => sum + row[key], 0);
}
