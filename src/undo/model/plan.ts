/** The steps of an undo, each of which is safe to do or to skip. Pure. */
import type { Change, Index } from "./change.ts";
import { holdsSame, isOnlyTimes, isSame, type State } from "./entry.ts";
import { isWithin } from "../../system/paths.ts";

/** Takes one path from its current state to an earlier one. */
export interface Step {
  readonly path: string;
  readonly present: State;
  readonly wanted: State;
}

/** A path that is not changed, and why. */
export interface Left {
  readonly path: string;
  readonly reason: string;
}

export interface Plan {
  /** In the order in which they must be done. */
  readonly steps: readonly Step[];
  /** Directories that get their modes and times after everything else, the deepest first. */
  readonly finish: readonly Step[];
  readonly left: readonly Left[];
}

export interface PlanQuestion {
  /** Of the operation. */
  readonly changes: readonly Change[];
  /** What is there now. */
  readonly present: (path: string) => State;
  /** Only these absolute paths and those below, themselves in any state; undefined: all. */
  readonly chosen: readonly string[] | undefined;
}

/** A path whose present state is not what the operation left is a conflict, unless it was chosen by name. */
export function planUndo({ changes, present, chosen }: PlanQuestion): Plan {
  const wanted = chosen === undefined ? changes : withParents(changes, chosen);
  const steps: Step[] = [];
  const finish: Step[] = [];
  const left: Left[] = [];
  for (const { path, before, after } of wanted) {
    const now = present(path);
    const step = { path, present: now, wanted: before };
    if (isOnlyTimes(before, after)) {
      if (isSame(now, after)) finish.push(step);
    } else if (isSame(now, before)) continue;
    else if (!holdsSame(now, after) && !holdsSame(now, before) && chosen?.includes(path) !== true) {
      left.push({ path, reason: "it was changed since" });
    } else {
      const reason = whyLost(before, now);
      if (reason !== undefined) left.push({ path, reason });
      else {
        steps.push(step);
        if (before?.kind === "directory") finish.push(step);
        if (before?.kind === "directory" && before.unkept !== undefined && now === undefined) {
          left.push({ path, reason: `what was in it was not kept: ${before.unkept}` });
        }
      }
    }
  }
  return { steps: inTurn(steps), finish: deepestFirst(finish), left };
}

/** The chosen paths, what is below them, and missing directories above them. */
function withParents(changes: readonly Change[], chosen: readonly string[]): readonly Change[] {
  return changes.filter(({ path, before }) =>
    chosen.some((one) => isWithin(path, one) || before?.kind === "directory" && isWithin(one, path))
  );
}

function whyLost(before: State, now: State): string | undefined {
  if (before?.kind === "other") return "pipes, sockets and devices are not kept";
  if (before?.kind !== "file" || before.content !== undefined) return undefined;
  const hasContent = now?.kind === "file" && now.size === before.size && now.modified === before.modified;
  return hasContent ? undefined : `its content was not kept: ${before.unkept ?? "it is not known"}`;
}

/** First removals, deepest first; then directories, topmost first; then their contents. */
function inTurn(steps: readonly Step[]): readonly Step[] {
  const goes = ({ present, wanted }: Step) => present !== undefined && present.kind !== wanted?.kind;
  const going = steps.filter(goes).map((step) => ({ ...step, wanted: undefined }));
  const coming = steps.filter(({ wanted }) => wanted !== undefined)
    .map((step) => goes(step) ? { ...step, present: undefined } : step);
  const isDirectory = ({ wanted }: Step) => wanted?.kind === "directory";
  return [
    ...deepestFirst(going),
    ...deepestFirst(coming.filter(isDirectory)).toReversed(),
    ...coming.filter((step) => !isDirectory(step)),
  ];
}

function deepestFirst(steps: readonly Step[]): readonly Step[] {
  const depth = ({ path }: Step) => path.split("/").length;
  return steps.toSorted((one, other) => depth(other) - depth(one));
}

/** For each wanted file, another name that it has kept, if the file is unchanged. */
export function otherNames(steps: readonly Step[], index: Index): ReadonlyMap<string, string> {
  const wanted = new Map(
    steps.flatMap(({ wanted }) => wanted !== undefined && wanted.names > 1 ? [[wanted.file, wanted]] : []),
  );
  const names = new Map<string, string>();
  if (wanted.size === 0) return names;
  for (const [path, entry] of index) if (isSame(entry, wanted.get(entry.file))) names.set(entry.file, path);
  return names;
}
