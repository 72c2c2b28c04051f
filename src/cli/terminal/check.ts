import type { Colours } from "./colours.ts";

/** The result of a check. */
export type CheckStatus = "ok" | "warning" | "failed";

/** One check of `doctor`. */
export interface Check {
  /** Stable name for programs. */
  readonly id: string;
  /** Name for the user. */
  readonly title: string;
  readonly status: CheckStatus;
  /** The finding, and the remedy where there is a problem. */
  readonly message: string;
}

/** A check with its result. */
export function check(id: string, title: string, status: CheckStatus, message: string): Check {
  return { id, title, status, message };
}

const MARKS: Readonly<Record<CheckStatus, string>> = { ok: "ok", warning: "!", failed: "FAILED" };

/** A line for each check: how it ended, its name, the finding. */
export function checkLines(checks: readonly Check[], { green, yellow, red }: Colours): readonly string[] {
  const paint: Readonly<Record<CheckStatus, (text: string) => string>> = { ok: green, warning: yellow, failed: red };
  const column = Math.max(...checks.map(({ title }) => title.length)) + 2;
  return checks.map(({ status, title, message }) => {
    const text = message.split("\n").join(`\n${" ".repeat(column + 8)}`);
    return `${paint[status](MARKS[status].padEnd(8))}${title.padEnd(column)}${text}`;
  });
}
