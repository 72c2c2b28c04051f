/** Filters of templates: those of the engine, bounded, and some of our own (Q4, Q5). */
import { truncate } from "../../base/text.ts";
import type { Budget } from "./budget.ts";

/** The longest list that a filter accepts. */
const MOST_ITEMS = 2_000;
/** The longest date format, characters: each may expand to a dozen, slowly. */
const LONGEST_FORMAT = 100;
const DATE_FILTERS: readonly string[] = ["date", "date_to_string", "date_to_long_string", "date_to_rfc822"];
/** Filters of the engine that are left out: nothing in a prompt needs them. */
const LEFT_OUT: readonly string[] = ["sha256", "hmac_sha256"];

export type FilterHandler = (this: FilterThis, ...values: unknown[]) => unknown;
interface FilterThis {
  readonly context: { readonly memoryLimit: Pick<Budget, "use" | "check"> };
}
type Filter = FilterHandler | { readonly handler?: FilterHandler; readonly raw?: boolean };

/** The filters for templates, made from those of the engine. */
export function boundedFilters(engine: Readonly<Record<string, Filter>>): Readonly<Record<string, Filter>> {
  const all: Readonly<Record<string, Filter>> = { ...engine, ...OWN_FILTERS };
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => !LEFT_OUT.includes(name)).map(([name, filter]) => {
      const handler = typeof filter === "function" ? filter : filter.handler;
      const raw = typeof filter !== "function" && filter.raw === true;
      return [name, { raw, handler: handler === undefined ? undefined : bounded(name, handler) } as Filter];
    }),
  );
}

function bounded(name: string, handler: FilterHandler): FilterHandler {
  return function (...values) {
    this.context.memoryLimit.check();
    const list = values.find((value) => Array.isArray(value) && value.length > MOST_ITEMS);
    if (list !== undefined) throw new Error(`Filter "${name}" takes lists of at most ${MOST_ITEMS} items`);
    if (DATE_FILTERS.includes(name) && values.some((value) => String(value ?? "").length > LONGEST_FORMAT)) {
      throw new Error(`Filter "${name}" takes dates and formats of at most ${LONGEST_FORMAT} characters`);
    }
    return handler.apply(this, values);
  };
}

const OWN_FILTERS: Readonly<Record<string, FilterHandler>> = {
  /** Lines of a text; a last one without a line feed counts, an empty text has none. */
  count_lines(value) {
    const text = textOf(this, value);
    return text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  },
  /** Indents every line by this many spaces, by default 2; empty lines stay empty. */
  indent(value, width = 2) {
    const blanks = Number(width);
    if (!Number.isInteger(blanks) || blanks < 0 || blanks > 100) {
      throw new Error(`Filter "indent" takes a number from 0 to 100, found ${truncate(String(width), 40)}`);
    }
    const lines = textOf(this, value).split("\n");
    this.context.memoryLimit.use(lines.length * blanks);
    return lines.map((line) => line === "" ? "" : " ".repeat(blanks) + line).join("\n");
  },
  /** Removes the indentation that all lines share. */
  dedent(value) {
    const lines = textOf(this, value).split("\n");
    const widths = lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length);
    const common = widths.reduce((least, width) => Math.min(least, width), Infinity);
    return lines.map((line) => line.trim() === "" ? "" : line.slice(common)).join("\n");
  },
  /** The text as one word of a POSIX shell. */
  shell_quote(value) {
    return `'${textOf(this, value).replaceAll("'", `'\\''`)}'`;
  },
};

function textOf({ context }: FilterThis, value: unknown): string {
  const text = value === undefined || value === null ? "" : String(value);
  context.memoryLimit.use(text.length);
  return text;
}
