/** `files_patch`: changes all files of a patch, or none of them. */
import { messageOf, UserError } from "../../base/errors.ts";
import { compareText } from "../../base/text.ts";
import { applyHunks } from "../edit/apply_hunks.ts";
import { decodeFile } from "../edit/file_text.ts";
import { type FilePatch, parsePatch } from "../edit/patch_envelope.ts";
import type { DiffPackage } from "../edit/unified_diff.ts";
import type { CallOf } from "../definition/groups.ts";
import { textResult, type ToolResult } from "../frame/messages.ts";
import type { ToolContext } from "../project/native_tool.ts";
import { type Change, changeText } from "./change_file.ts";
import { editedChange } from "./edit.ts";
import { newFile } from "./new_content.ts";
import { openTarget, removeTarget, storeContent, type Stored, type Target } from "./target.ts";

/** One step of a patch: a file gets new content, or is removed. */
interface Step {
  readonly target: Target;
  /** Undefined: the file is removed. */
  readonly change: Change | undefined;
  /** A new file gets the rights of this file; undefined: the usual rights of a new file. */
  readonly like?: Target;
  /** How the answer shows a removed file. */
  readonly gone?: string;
}

/** How often a patch is retried if other programs change its files. */
const MOST_TRIES = 20;

/** See the definition of `files_patch`. */
export async function patchFiles(args: CallOf<"files_patch">, context: ToolContext): Promise<ToolResult> {
  const patches = parsePatch(args.patch);
  if (!patches.ok) throw new UserError(`Cannot read the patch, nothing is changed: ${patches.problem}`);
  const diff = await import("diff");
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const opened = new DisposableStack();
    try {
      const targets = await openAll(context, patches.value, opened);
      const steps = patches.value.flatMap((patch) => stepsOf(patch, targets, diff));
      if (args.dry_run === true) return await answer(steps.map((step) => ({ step, stored: undefined })));
      const stored = storeAll(steps);
      if (stored !== undefined) return await answer(stored);
    } finally {
      opened.dispose();
    }
  }
  throw new UserError("Cannot apply the patch, nothing is changed: other programs keep changing its files");
}

type Targets = ReadonlyMap<string, Target>;

/** All files of a patch by their paths as given, opened in one order by all servers, since each holds its lock. */
async function openAll(
  { project, signal }: ToolContext,
  patches: readonly FilePatch[],
  opened: DisposableStack,
): Promise<Targets> {
  const paths = patches.flatMap((one) => one.kind === "update" ? [one.path, one.moveTo ?? []].flat() : [one.path]);
  const places = await Promise.all(paths.map(async (path) => ({ path, real: (await project.resolve(path)).path })));
  places.sort((one, other) => compareText(one.real, other.real));
  const twice = places.find(({ real }, at) => real === places[at - 1]?.real);
  if (twice !== undefined) throw new UserError(`Cannot apply the patch: it changes "${twice.path}" by two names`);
  const targets = new Map<string, Target>();
  for (const { path } of places) targets.set(path, opened.use(await openTarget(project, path, signal)));
  return targets;
}

function stepsOf(patch: FilePatch, targets: Targets, diff: DiffPackage): readonly Step[] {
  const target = of(patch.path, targets);
  if (patch.kind === "add") return [{ target: missing(target), change: newFile(patch.text, NEW) }];
  const { content } = there(target);
  if (patch.kind === "delete") return [{ target, change: undefined, gone: "deleted" }];
  const change = updated(target, content, { patch, diff });
  if (patch.moveTo === undefined) return [{ target, change }];
  const moved = missing(of(patch.moveTo, targets));
  return [
    { target: moved, change, like: target },
    { target, change: undefined, gone: `moved to ${moved.place.shown}` },
  ];
}

const NEW = { encoding: undefined, isThere: false } as const;

interface UpdateRequest {
  readonly patch: Extract<FilePatch, { kind: "update" }>;
  readonly diff: DiffPackage;
}

function updated({ place }: Target, content: Uint8Array<ArrayBuffer>, { patch, diff }: UpdateRequest): Change {
  const file = decodeFile(content);
  if (!file.ok) throw new UserError(`Cannot patch "${place.shown}", nothing is changed: ${file.problem}`);
  const applied = applyHunks(file.value, patch.hunks);
  if (!applied.ok) throw new UserError(`Cannot patch "${place.shown}", nothing is changed: ${applied.problem}`);
  return editedChange({ content, file: file.value }, applied.value, { noun: "hunk", diff });
}

interface StoredStep {
  readonly step: Step;
  /** Undefined: nothing was written. */
  readonly stored: Extract<Stored, { kind: "stored" }> | undefined;
}

/** Undefined: another program changed a file in the meantime, and all changes are undone. */
function storeAll(steps: readonly Step[]): readonly StoredStep[] | undefined {
  const done: StoredStep[] = [];
  try {
    for (const step of steps) {
      const { target, change, like } = step;
      const stored = change === undefined ? removeTarget(target) : storeContent(target, change.content, like?.current);
      if (stored.kind === "conflict") {
        undo(done);
        return undefined;
      }
      done.push({ step, stored });
    }
    return done;
  } catch (thrown) {
    undo(done, messageOf(thrown));
    throw thrown;
  }
}

/** Puts files back as they were. @throws {UserError} When one is not as it was; `reason` is why it was to be undone. */
function undo(done: readonly StoredStep[], reason = "another program changed one of its files"): void {
  for (const { step: { target } } of done.toReversed()) {
    const { files, name, current, project, place } = target;
    const directory = project.directoryOf(files, place);
    if (directory === undefined) throw halfDone(target, reason);
    if (current === undefined) {
      if (!files.unlink(directory, name)) throw halfDone(target, reason);
      continue;
    }
    const fd = files.open(directory, name);
    const stat = fd === undefined ? undefined : files.stat(fd, "");
    const is = fd === undefined || stat === undefined ? undefined : { fd, stat, content: current.content };
    const back = storeContent({ ...target, directory, current: is }, current.content, current);
    if (back.kind === "conflict") throw halfDone(target, reason);
  }
}

function halfDone({ place }: Target, reason: string): UserError {
  return new UserError(`The patch is half applied, "${place.shown}" could not be put back: ${reason}`);
}

async function answer(steps: readonly StoredStep[]): Promise<ToolResult> {
  const texts = await Promise.all(steps.map(({ step: { target: { place }, change, gone }, stored }) => {
    return change === undefined ? `${place.shown}: ${gone}` : changeText(place, change, stored);
  }));
  return textResult(texts.join("\n"));
}

function of(path: string, targets: Targets): Target {
  const target = targets.get(path);
  if (target === undefined) throw new UserError(`Cannot find "${path}"`);
  return target;
}

function missing(target: Target): Target {
  if (target.current === undefined) return target;
  throw new UserError(`Cannot create "${target.place.shown}", nothing is changed: it exists`);
}

function there({ current, place }: Target): { readonly content: Uint8Array<ArrayBuffer> } {
  if (current !== undefined) return current;
  throw new UserError(`Cannot patch "${place.shown}", nothing is changed: it does not exist`);
}
