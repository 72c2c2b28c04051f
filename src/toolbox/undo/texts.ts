/** The texts about recorded operations. Pure. */
import { duration } from "../../base/time.ts";
import { shorten } from "../../base/visible_text.ts";
import { type Change, letterOf, type MovedRef, type RecordedOperation, told } from "../../undo/model/change.ts";
import type { Left, Step } from "../../undo/model/plan.ts";
import { parentOf } from "../../system/paths.ts";
import { counted } from "../../base/text.ts";

/** How names are shown. */
export interface Shown {
  /** A path as the project calls it. */
  readonly name: (path: string) => string;
  readonly json: boolean;
  /** Next to the output of a command; absent: as an answer of its own. */
  readonly isBrief?: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** How a call names paths: those below the first directory relative to it. */
export function shownBy(
  { directory }: { readonly directory: string },
  { json }: { readonly json?: boolean | undefined },
): Shown {
  const name = (path: string) => path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;
  return { name, json: json === true, now: Date.now() };
}

const MOST_LINES = 200;
const MOST_LISTED = 20;
const MOST_BRIEF = 30;
const LONGEST_NAME = 300;

/** One line for each operation, the last first. */
export function operationLines(operations: readonly RecordedOperation[], shown: Shown): string {
  if (shown.json) return JSON.stringify({ operations: operations.map((one) => asJson(one, shown)) }, null, 2);
  if (operations.length === 0) return "No operation that is kept changed anything here.";
  const lines = operations.slice(0, MOST_LISTED).map((one) => {
    const { operation, at, title } = one;
    return `${operation}  ${duration(shown.now - at)} ago  ${counts(one)}  ${shorten(title, 100)}`;
  });
  return withMore(lines, operations.length, "operations");
}

/** What one operation changed. `isWhole`: each path, also those below a directory that came or went whole. */
export function changeLines(
  one: RecordedOperation,
  { isWhole, verb = "changed", ...shown }: Shown & { readonly isWhole: boolean; readonly verb?: string },
  diff: string,
): string {
  const { operation, at, title, shared, changes, refs } = one;
  const all = told(changes);
  const listed = (isWhole ? all.map((change) => ({ change, below: 0 })) : folded(all)).map(({ change, below }) => {
    const more = below === 0 ? "" : `/ (${counted(below, "path")} below)`;
    return `${letterOf(change)} ${nameOf(change.path, shown)}${more}${unkept(change)}`;
  });
  return [
    `${operation}, ${duration(shown.now - at)} ago, ${verb} ${counts(one)}: ${shorten(title, 200)}`,
    withMore(listed.slice(0, shown.isBrief === true ? MOST_BRIEF : MOST_LINES), listed.length, "paths"),
    ...shared.length === 0 ? [] : [`Ran at the same time, so a change may be theirs: ${shared.join(", ")}`],
    ...refs.map(refLine),
    ...diff === "" ? [] : ["", diff],
  ].join("\n");
}

/** The same for programs. */
export function operationAsJson(one: RecordedOperation, shown: Shown, diff: string): string {
  return JSON.stringify({ ...asJson(one, shown), diff }, null, 2);
}

interface UndoneOperation {
  readonly done: readonly Step[];
  readonly left: readonly Left[];
  readonly refs: readonly MovedRef[];
  /** That this undo is. */
  readonly operation: string;
}

/** What an undo did, and what it left alone. */
export function undoneLines({ done, left, refs, operation }: UndoneOperation, shown: Shown): string {
  const paths = new Set(done.map(({ path }) => path));
  if (shown.json) {
    return JSON.stringify(
      {
        operation,
        undone: [...paths].map(shown.name),
        left: left.map(({ path, reason }) => ({ path: shown.name(path), reason })),
        refs,
      },
      null,
      2,
    );
  }
  const head = "Left alone (name a path in `paths` to put it back all the same):";
  return [
    paths.size === 0
      ? "Nothing was put back."
      : `Put back ${counted(paths.size, "path")}. Undo of this: \`changes\` ${operation}.`,
    ...left.length === 0 ? [] : [head, reasonLines(left, shown, MOST_LINES)],
    ...refs.map(refLine),
  ].join("\n");
}

function asJson({ operation, at, title, shared, changes, refs }: RecordedOperation, shown: Shown) {
  return {
    operation,
    at: new Date(at).toISOString(),
    title,
    changes: told(changes).map((change) => ({
      change: letterOf(change),
      path: shown.name(change.path).toWellFormed(),
    })),
    ...shared.length > 0 && { shared },
    ...refs.length > 0 && { refs },
  };
}

function counts({ changes, refs }: RecordedOperation): string {
  const letters = told(changes).map(letterOf);
  const parts = (["A", "M", "D"] as const).flatMap((letter) => {
    const count = letters.filter((one) => one === letter).length;
    return count === 0 ? [] : [`${count} ${letter}`];
  });
  return [...parts, ...refs.length === 0 ? [] : [`${refs.length} git`]].join(" ") || "times only";
}

function unkept({ before }: Change): string {
  return before?.unkept === undefined ? "" : ` (not kept: ${before.unkept})`;
}

/** A ref that a command moved is never moved back: the text names git's own way. */
function refLine({ name, before, after }: MovedRef): string {
  const short = (value: string | undefined) => value === undefined ? "none" : shorten(value.slice(0, 60), 60);
  const way = before === undefined
    ? `git update-ref -d ${name}`
    : name === "HEAD" && before.startsWith("ref: ")
    ? `git symbolic-ref HEAD ${before.slice("ref: ".length)}`
    : name === "refs/stash"
    ? `git stash store ${before}`
    : `git update-ref ${name} ${before}`;
  return `git ${shorten(name, 200)}: ${short(before)} -> ${short(after)}; back: ${shorten(way, 300)} (see git reflog)`;
}

/** A path in one line, as answers show it. */
export function nameOf(path: string, { name }: Shown): string {
  return shorten(name(path).toWellFormed(), LONGEST_NAME);
}

/** Some paths with the reason of each. */
export function reasonLines(left: readonly Left[], shown: Shown, most = MOST_LISTED): string {
  const lines = left.slice(0, most).map(({ path, reason }) => `${nameOf(path, shown)}: ${reason}`);
  return withMore(lines, left.length, "paths");
}

function withMore(lines: readonly string[], total: number, what: string): string {
  return [...lines, ...total > lines.length ? [`… [${total - lines.length} more ${what}]`] : []].join("\n");
}

interface Folded {
  readonly change: Change;
  /** How many changes below it are left out. */
  readonly below: number;
}

/** In the order of `changes`. Paths without stored content are always listed, with the reason. */
export function folded(changes: readonly Change[]): readonly Folded[] {
  const whole = new Map<string, number>();
  for (const change of changes) {
    const { kind } = change.before ?? change.after ?? {};
    if (kind === "directory" && letterOf(change) !== "M") whole.set(change.path, 0);
  }
  const listed = changes.filter(({ path, before }) => {
    const top = before?.unkept === undefined ? highestAbove(path, whole) : undefined;
    if (top !== undefined) whole.set(top, (whole.get(top) ?? 0) + 1);
    return top === undefined;
  });
  return listed.map((change) => ({ change, below: whole.get(change.path) ?? 0 }));
}

function highestAbove(path: string, directories: ReadonlyMap<string, unknown>): string | undefined {
  let found: string | undefined;
  for (let above = parentOf(path); above !== "/" && above !== ""; above = parentOf(above)) {
    if (directories.has(above)) found = above;
  }
  return found;
}
