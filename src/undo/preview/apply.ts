/**
 * Applies what a preview would have changed. First each path is compared with what the preview saw; any difference
 * refuses the whole. If it is killed midway, each path is in one of its two states, and another apply does the rest.
 */
import type { Change } from "../model/change.ts";
import { type Entry, holdsSame, isUntouched, type State } from "../model/entry.ts";
import { type Left, planUndo } from "../model/plan.ts";
import { UNDO_DRAFT } from "../tree/looking.ts";
import { Putting } from "../tree/put.ts";
import { isWithin, parentOf } from "../../system/paths.ts";
import { type LayerParts, stateAt, withLowerContent } from "./upper.ts";
import { hashOf } from "../store/objects.ts";

export interface ApplyQuestion extends Pick<LayerParts, "files" | "facts" | "roots"> {
  readonly changes: readonly Change[];
  readonly left: readonly Left[];
  /** Only these paths and what is below them, absolute; undefined: all. */
  readonly chosen: readonly string[] | undefined;
  /** An earlier apply has begun: its directories may not have their modes yet. */
  readonly isRest: boolean;
  /** Writes a content into an empty open file; false: it is not the content that the preview listed. */
  readonly restore: (content: string, to: number) => boolean;
  /** Called when nothing differs, before the first change. */
  readonly onBegin: () => void;
}

export interface Applied {
  /** Paths that are not as the preview saw them; then nothing was done. */
  readonly differs: readonly string[];
  /** Paths that were applied. */
  readonly done: readonly string[];
  readonly left: readonly Left[];
}

/** What `mkdir` in an unfinished step leaves. */
const STEP_MODE = 0o700;

export function applyChanges(question: ApplyQuestion): Applied {
  const { changes, chosen, onBegin, files, facts, roots, restore } = question;
  const known = new Set([...changes, ...question.left].map(({ path }) => path));
  const wanted = chosen === undefined
    ? changes
    : changes.filter(({ path, after }) =>
      chosen.some((one) => isWithin(path, one) || after !== undefined && isWithin(one, path))
    );
  const present = new Map<string, State>();
  const differs = wanted.flatMap((change) => {
    const now = presentOf(question, change);
    present.set(change.path, now);
    return isExpected(now, change, question) ? added(question, known, { ...change, now }) : [change.path];
  });
  if (differs.length > 0) return { differs, done: [], left: [] };
  onBegin();
  removeDrafts(question, wanted);
  const turned = wanted.map(({ path, before, after }) => ({ path, before: after, after: before }));
  const plan = planUndo({ changes: turned, present: (path) => present.get(path), chosen: undefined });
  const putting = new Putting({ files, facts, roots, objects: { restore } });
  const done: string[] = [];
  const left = [...plan.left];
  for (const step of plan.steps) {
    const reason = putting.put(step);
    if (reason === undefined) done.push(step.path);
    else left.push({ path: step.path, reason });
  }
  for (const step of plan.finish) putting.finish(step);
  return { differs, done: [...new Set(done)], left };
}

function presentOf(question: ApplyQuestion, { path, before, after }: Change): State {
  const now = stateAt(question, path);
  if (now?.kind === "directory" && after?.kind === "directory" && isUnfinished(now, before, question)) {
    return { ...now, mode: after.mode };
  }
  if (now?.kind !== "file" || after?.kind !== "file" || now.size !== after.size) return now;
  return withLowerContent(question, path, now);
}

function isUnfinished(now: Entry, before: State, { isRest }: ApplyQuestion): boolean {
  return isRest && (before === undefined || now.mode === STEP_MODE);
}

function isExpected(now: State, { before, after }: Change, { isRest }: ApplyQuestion): boolean {
  if (isRest && holdsSame(now, after)) return true;
  if (now === undefined || before === undefined) return now === before;
  if (now.kind !== before.kind || now.file !== before.file) return false;
  if (now.kind === "directory") return now.mode === before.mode || isRest;
  // Applying another name of the file has already changed its ctime.
  return isUntouched(before, isRest && before.names > 1 ? { ...now, changed: before.changed } : now);
}

/** New entries in a directory that must be removed. */
function added(
  { files, roots }: ApplyQuestion,
  known: ReadonlySet<string>,
  { path, after, now }: Change & { readonly now: State },
): readonly string[] {
  if (now?.kind !== "directory" || after?.kind === "directory") return [];
  const below = files.with(roots.directory(path), (fd) => files.entries(fd).map(({ name }) => `${path}/${name}`));
  return below?.filter((one) => !known.has(one) && !nameOf(one).startsWith(UNDO_DRAFT)) ?? [path];
}

/** Drafts with known content, left by an apply that was killed between two system calls. */
function removeDrafts({ files, roots, isRest }: ApplyQuestion, changes: readonly Change[]): void {
  if (!isRest) return;
  const old = new Set(changes.map(({ before }) => before?.file));
  const contents = new Set(changes.flatMap(({ after }) => after?.content ?? []));
  const targets = new Set(changes.flatMap(({ after }) => after?.target ?? []));
  for (const path of new Set(changes.map((one) => parentOf(one.path)))) {
    const directory = roots.directory(path);
    if (directory === undefined) continue;
    for (const { name } of files.entries(directory).filter((one) => one.name.startsWith(UNDO_DRAFT))) {
      const stat = files.stat(directory, name);
      const fd = stat?.kind === "file" ? files.open(directory, name) : undefined;
      const isKnown = stat !== undefined && old.has(`${stat.device}:${stat.inode}`) ||
        fd !== undefined && contents.has(hashOf(files, fd) ?? "") ||
        stat?.kind === "link" && targets.has(files.linkTarget(directory, name) ?? "");
      if (fd !== undefined) files.drop(fd);
      if (isKnown) files.unlink(directory, name);
    }
    files.drop(directory);
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
