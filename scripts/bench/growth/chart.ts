/** Curves as a picture (SVG) and as a table (Markdown). Pure. */
import { digits } from "../report.ts";
import type { Curve } from "./growth.ts";

const WIDTH = 420;
const HEIGHT = 240;
const LEFT = 50;
const RIGHT = 20;
const TOP = 44;
const BOTTOM = 40;
const COLUMNS = 2;
const COLOURS = ["#0969da", "#bc4c00", "#1a7f37"];

/** All curves in one picture, two beside each other; both axes are logarithmic, the lower one from its first size. */
export function picture(curves: readonly Curve[]): string {
  const rows = Math.ceil(curves.length / COLUMNS);
  const panels = curves.map((curve, index) => {
    const [x, y] = [index % COLUMNS * WIDTH, Math.floor(index / COLUMNS) * HEIGHT];
    return `<g transform="translate(${x} ${y})">\n${panel(curve)}\n</g>`;
  });
  const size = `viewBox="0 0 ${COLUMNS * WIDTH} ${rows * HEIGHT}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="11" fill="#57606a">`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    ...panels,
    "</svg>\n",
  ].join("\n");
}

/** A curve as a table, a row for each size. */
export function tableOf({ title, axis, unit, sizes, lines }: Curve): string {
  const heads = [axis, ...lines.map(({ name }) => `${name}, ${unit}`)];
  const rows = sizes.map((size, index) => [String(size), ...lines.map(({ values }) => digits(values[index]))]);
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [`**${title}**`, "", line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}

function panel({ title, axis, unit, sizes, lines }: Curve): string {
  const all = lines.flatMap(({ values }) => values);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const across = scale(sizes.map(place), [LEFT, WIDTH - RIGHT]);
  const up = scale([least, most].map(Math.log), [HEIGHT - BOTTOM, TOP]);
  const drawn = lines.flatMap(({ name, values }, index) => {
    const colour = COLOURS[index % COLOURS.length];
    const points = values.map((value, at) => [across(place(sizes[at] ?? 0)), up(Math.log(value))] as const);
    const path = points.map(([x, y]) => `${round(x)},${round(y)}`).join(" ");
    return [
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      ...points.map(([x, y]) => `<circle cx="${round(x)}" cy="${round(y)}" r="2.5" fill="${colour}"/>`),
      text(LEFT + index * 150, 32, name, `fill="${colour}"`),
    ];
  });
  const steps = sizes.map((size) => text(across(place(size)), HEIGHT - BOTTOM + 14, String(size), MIDDLE));
  const ends = [...new Set([least, most])].map((value) => text(LEFT - 6, up(Math.log(value)) + 4, digits(value), END));
  const base = HEIGHT - BOTTOM;
  return [
    text(LEFT, 16, title, `font-weight="bold" fill="#1f2328"`),
    `<path d="M${LEFT} ${TOP}V${base}H${WIDTH - RIGHT}" fill="none" stroke="#d0d7de"/>`,
    ...drawn,
    ...steps,
    ...ends,
    text((LEFT + WIDTH) / 2, HEIGHT - 8, axis, MIDDLE),
    text(LEFT - 6, TOP - 4, unit, END),
  ].join("\n");
}

const MIDDLE = `text-anchor="middle"`;
const END = `text-anchor="end"`;

/** A size of 0 stands one place before 1. */
function place(size: number): number {
  return size === 0 ? -Math.LN10 : Math.log(size);
}

function scale(values: readonly number[], [from, to]: readonly [number, number]): (value: number) => number {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return (value) => most === least ? (from + to) / 2 : from + (value - least) / (most - least) * (to - from);
}

function text(x: number, y: number, words: string, more: string): string {
  return `<text x="${round(x)}" y="${round(y)}" ${more}>${
    words.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
  }</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
