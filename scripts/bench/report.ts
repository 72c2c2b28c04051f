import { summarize, type Summary } from "./samples.ts";

/** One line of the table: a measurement, its floor in the same run, and what the requirements ask. */
export interface Row {
  readonly measure: string;
  readonly unit: string;
  /** Samples; empty: could not be measured, and `note` says why. */
  readonly ours: readonly number[];
  /** Samples of the floor, taken in turns with ours. */
  readonly floor?: { readonly name: string; readonly samples: readonly number[] };
  /** What section 13 of the requirements asks; absent: nothing. */
  readonly target?: Target;
  readonly note?: string;
}

/** A demand and how it is judged. */
export interface Target {
  /** With the id of the requirement. */
  readonly text: string;
  readonly met: (seen: Seen) => boolean;
}

/** What a target looks at. */
export interface Seen {
  readonly p50: number;
  readonly p99: number;
  /** p50 over the floor's p50; NaN without a floor. */
  readonly ratio: number;
}

export type Verdict = "meets" | "MISSES" | "not measured" | "";

/** A row with everything worked out, as it goes to `--json`. */
export interface Judged {
  readonly measure: string;
  readonly unit: string;
  readonly ours: Summary | undefined;
  readonly floor: (Summary & { readonly name: string }) | undefined;
  readonly ratio: number | undefined;
  readonly target: string;
  readonly verdict: Verdict;
  readonly note: string;
}

/** Works out medians, ratio and verdict of a row. */
export function judge(row: Row): Judged {
  const ours = row.ours.length === 0 ? undefined : summarize(row.ours);
  const floor = row.floor === undefined || row.floor.samples.length === 0
    ? undefined
    : { name: row.floor.name, ...summarize(row.floor.samples) };
  const ratio = ours === undefined || floor === undefined ? undefined : ours.p50 / floor.p50;
  const { measure, unit, target, note = "" } = row;
  const met = ours === undefined ? false : target?.met({ p50: ours.p50, p99: ours.p99, ratio: ratio ?? NaN });
  const judged = target === undefined ? "" : met === true ? "meets" : "MISSES";
  const verdict = ours === undefined ? "not measured" : judged;
  return { measure, unit, ours, floor, ratio, target: target?.text ?? "", verdict, note };
}

/** The table as text; columns are as wide as their widest cell. */
export function table(rows: readonly Judged[]): string {
  const heads = ["measure", "p50", "p99", "unit", "n", "floor", "floor p50", "ratio", "target", "verdict"];
  const cells = rows.map((row) => [
    row.measure,
    digits(row.ours?.p50),
    digits(row.ours?.p99),
    row.unit,
    String(row.ours?.count ?? 0),
    row.floor?.name ?? "",
    digits(row.floor?.p50),
    row.ratio === undefined ? "" : `${row.ratio.toFixed(2)} x`,
    row.target,
    row.note === "" ? row.verdict : `${row.verdict} (${row.note})`.trim(),
  ]);
  const widths = heads.map((head, column) => Math.max(head.length, ...cells.map((line) => line[column]?.length ?? 0)));
  const line = (words: readonly string[]) =>
    words.map((word, column) => word.padEnd(widths[column] ?? 0)).join("  ").trimEnd();
  return [line(heads), line(widths.map((width) => "-".repeat(width))), ...cells.map(line)].join("\n");
}

/** A value with three digits that count; empty: there is none. */
export function digits(value: number | undefined): string {
  if (value === undefined) return "";
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(3);
}

const HEADS = ["measure", "median", "next to", "its median", "ratio", "target"];

/** Cells of the table in Markdown: medians, and the ratio to what each was measured next to. */
export function markdownCells(rows: readonly Judged[]): readonly (readonly string[])[] {
  return rows.map(({ measure, unit, ours, floor, ratio, target }) => [
    measure,
    ours === undefined ? "" : `${digits(ours.p50)} ${unit}`,
    floor?.name ?? "",
    digits(floor?.p50),
    ratio === undefined ? "" : ratio.toFixed(2),
    target,
  ]);
}

/** Those cells as a table. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(HEADS), line(HEADS.map(() => "---")), ...rows.map(line)].join("\n");
}
