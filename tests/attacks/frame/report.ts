/** What `deno task attacks` prints: the table and its totals. */
import type { RowResult, Verdict } from "./run_attack.ts";

/** Verdicts that make the run fail. */
const FAILURES: readonly Verdict[] = ["allowed", "broken", "control failed", "program missing"];

const LONGEST_REMINDER = 100;

const COLOURS: Readonly<Record<Verdict, number>> = {
  "denied": 32,
  "allowed": 31,
  "broken": 31,
  "control failed": 31,
  "program missing": 31,
  "residual risk": 33,
  "not applicable": 90,
};

/** Whether nothing was allowed that is not a known residual risk, and every control had its effect. */
export function succeeded(results: readonly RowResult[]): boolean {
  return !results.some(({ verdict }) => FAILURES.includes(verdict));
}

/** One line of the table, and one for each reason. */
export function rowText(result: RowResult, { colour }: { readonly colour: boolean }): string {
  const { id, title, user, verdict, why, ways } = result;
  const count = ways === 0 ? "" : ` (${ways} ${ways === 1 ? "way" : "ways"})`;
  const words = `${verdictText(result)}${count}`;
  const painted = colour ? `\x1b[${COLOURS[verdict]}m${words}\x1b[0m` : words;
  const shown = verdict === "denied" || verdict === "residual risk" && why.length === 0 ? [] : why;
  const reasons = shown
    .map((reason) => verdict === "residual risk" ? shortened(reason) : reason.replaceAll("\n", "\n        "))
    .map((reason) => `\n      ${reason}`)
    .join("");
  return `${id.padEnd(4)} ${title.padEnd(62)} ${user.padEnd(9)} ${painted}${reasons}`;
}

/** What is known needs no more than a reminder. */
function shortened(reason: string): string {
  const line = reason.replaceAll(/\s+/g, " ");
  return line.length > LONGEST_REMINDER ? `${line.slice(0, LONGEST_REMINDER)}...` : line;
}

/** The races in numbers, a line for each; empty where there was none. */
export function raceTable(results: readonly RowResult[]): string {
  const lines = results.flatMap(({ id, user, races }) =>
    races.map(({ way, launches, refused, again, moves, states, through }) =>
      [id, way, user, launches, refused, again ?? "-", moves, states.join("/"), through].map(String)
    )
  );
  if (lines.length === 0) return "";
  const all = [
    ["race", "way", "user", "launches", "refused", "tried again", "moves", "states seen", "got outside"],
    ...lines,
  ];
  const width = (column: number) => Math.max(...all.map((cells) => cells[column]?.length ?? 0));
  return all.map((cells) => `${cells.map((cell, column) => cell.padEnd(width(column))).join("  ").trimEnd()}\n`).join(
    "",
  );
}

/** The last line. */
export function totals(results: readonly RowResult[]): string {
  const counts = Object.keys(COLOURS).map((verdict) => {
    return `${results.filter((result) => result.verdict === verdict).length} ${verdict}`;
  });
  return `${results.length} rows: ${counts.join(", ")}`;
}

function verdictText({ verdict, risk }: RowResult): string {
  return verdict === "residual risk" ? `allowed (residual risk: see docs/security.md#${risk?.anchor})` : verdict;
}
