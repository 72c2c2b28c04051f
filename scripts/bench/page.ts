/** What `--write` puts below the mark of docs/performance.md, and what an earlier run put there. Pure. */
import { tableOf } from "./growth/chart.ts";
import type { Curve } from "./growth/growth.ts";
import { markdownTable } from "./report.ts";

/** Cells of a row: the measure comes first. */
type Cells = readonly string[];

export interface Measured {
  readonly rows: readonly Cells[];
  readonly curves: readonly Curve[];
  /** Under which load, a sentence for each run. */
  readonly loads: readonly string[];
}

export function measuredText({ rows, curves, loads }: Measured): string {
  return [markdownTable(rows), ...curves.map(tableOf), ...loads].join("\n\n");
}

/** What is on the page, read from its text; the inverse of `measuredText`, however its cells are padded. */
export function readMeasured(text: string): Measured {
  const blocks = text.split(/\n{2,}/).map((block) => block.trim()).filter((block) => block !== "");
  const titles = blocks.filter((block) => /^\*\*.*\*\*$/.test(block));
  const tables = blocks.filter((block) => block.startsWith("|")).map(cellsOf);
  const [rows = []] = tables.splice(0, tables.length - titles.length);
  return {
    rows: rows.slice(1),
    curves: tables.map((cells, index) => curveOf(titles[index]?.slice(2, -2) ?? "", cells)),
    loads: blocks.filter((block) => !block.startsWith("|") && !titles.includes(block)),
  };
}

/** The rows of `now` in their old places, and those of `before` that were not measured again. */
export function merge(before: Measured, now: Measured): Measured {
  return {
    rows: mergeBy(([measure]) => measure, before.rows, now.rows),
    curves: mergeBy(({ title }) => title, before.curves, now.curves),
    loads: mergeBy((load) => load.slice(0, load.indexOf(":") + 1), before.loads, now.loads),
  };
}

function mergeBy<Value>(keyOf: (value: Value) => string | undefined, before: readonly Value[], now: readonly Value[]) {
  const fresh = Map.groupBy(now, keyOf);
  const merged = before.flatMap((one) => {
    const key = keyOf(one);
    const isFirst = before.find((other) => keyOf(other) === key) === one;
    return isFirst ? fresh.get(key) ?? [one] : fresh.has(key) ? [] : [one];
  });
  const known = new Set(before.map(keyOf));
  return [...merged, ...now.filter((one) => !known.has(keyOf(one)))];
}

/** Without the line below the heads. */
function cellsOf(table: string): readonly Cells[] {
  return table.split("\n").map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()))
    .filter(([first = ""]) => !/^-+$/.test(first));
}

function curveOf(title: string, [[axis = "", ...names] = [], ...rows]: readonly Cells[]): Curve {
  const unitOf = (name: string) => name.slice(name.lastIndexOf(", ") + 2);
  return {
    title,
    axis,
    unit: unitOf(names[0] ?? ""),
    sizes: rows.map(([size]) => Number(size)),
    lines: names.map((name, index) => ({
      name: name.slice(0, name.lastIndexOf(", ")),
      values: rows.map((row) => Number(row[index + 1])),
    })),
  };
}
