/** What an agent and its person do after the result of a call, and how that is counted. Pure. */
import type { Denial } from "../../src/base/command/denial.ts";

/** The result of a call, as far as it decides what comes next. */
export interface Reply {
  readonly succeeded: boolean;
  readonly denials: readonly Denial[];
}

export type Move =
  | { readonly move: "done" }
  | { readonly move: "again" }
  | { readonly move: "failed" }
  /** The person stops the client, adds this flag to its entry and starts it again; then the agent calls again. */
  | { readonly move: "restart"; readonly flag: string };

/** How often one line was called until it succeeded. */
export interface Line {
  /** Forms that the person answered. */
  readonly questions: number;
  /** Times that the client was stopped. */
  readonly stops: number;
  /** Calls again because the result said so: without a stop. */
  readonly again: number;
  readonly succeeded: boolean;
}

/** The sums of many lines. */
export interface Tally {
  readonly lines: number;
  readonly questions: number;
  readonly stops: number;
  readonly again: number;
  /** Lines that a person was asked for and that succeeded in the same call. */
  readonly wentOn: number;
  /** Lines that no flag and no answer lets succeed. */
  readonly failed: number;
}

/** `given`: flags that the entry has by now. The first that is new is tried, because denials name the least first. */
export function nextMove({ succeeded, denials }: Reply, given: ReadonlySet<string>): Move {
  if (succeeded) return { move: "done" };
  if (denials.some(({ answer }) => answer?.includes("call again"))) return { move: "again" };
  const flag = denials.flatMap(({ flags }) => flags).find((one) => !given.has(one));
  return flag === undefined ? { move: "failed" } : { move: "restart", flag };
}

/** The arguments of an entry with a flag as a denial names it: `...` stands for the list that is there. */
export function withFlag(args: readonly string[], flag: string): readonly string[] {
  const space = flag.indexOf(" ");
  if (space < 0) return [...args, flag];
  const [name, value] = [flag.slice(0, space), flag.slice(space + 1)];
  const at = args.indexOf(name) + 1;
  return name === "--network" && at > 0 ? args.with(at, value.replace("...", args[at] ?? "")) : [...args, name, value];
}

export function tally(lines: readonly Line[]): Tally {
  const sum = (of: (line: Line) => number) => lines.reduce((total, line) => total + of(line), 0);
  return {
    lines: lines.length,
    questions: sum(({ questions }) => questions),
    stops: sum(({ stops }) => stops),
    again: sum(({ again }) => again),
    wentOn: lines.filter((line) => line.succeeded && line.questions > 0 && line.again + line.stops === 0).length,
    failed: lines.filter(({ succeeded }) => !succeeded).length,
  };
}
