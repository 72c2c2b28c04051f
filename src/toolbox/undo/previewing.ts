/** The calls that make, show, apply and drop previews of commands (S40). */
import { UserError } from "../../base/errors.ts";
import type { OpenFiles } from "../../system/open_files/file_calls.ts";
import { FileFactsCalls } from "../../system/open_files/file_facts.ts";
import { told } from "../../undo/model/change.ts";
import { type Preview, Previews } from "../../undo/preview/previews.ts";
import type { Recorded, Recorder } from "../../undo/recorder.ts";
import { type Root, Roots } from "../../undo/tree/roots.ts";
import {
  CHANGES,
  PREVIEW_BEGIN,
  PREVIEW_BYTES,
  PREVIEW_CLOSE,
  PREVIEW_DROP,
  PREVIEW_LOOK,
} from "../definition/undo.ts";
import { textResult, type ToolResult } from "../frame/messages.ts";
import type { NativeTool, ToolContext } from "../project/native_tool.ts";
import type { Project } from "../project/project.ts";
import { protectionAt } from "../project/protection.ts";
import { diffText } from "./diff_text.ts";
import { changeLines, reasonLines, type Shown, shownBy } from "./texts.ts";
import { counted } from "../../base/text.ts";
import { isWithin } from "../../system/paths.ts";

/** One for the worker. */
export class Previewing {
  readonly previews: Promise<Previews>;

  constructor(project: Project) {
    this.previews = openPreviews(project);
  }
}

async function openPreviews(project: Project): Promise<Previews> {
  const { setup } = project;
  const { store, previews } = setup.undo ?? {};
  if (previews === undefined) throw new UserError('Cannot preview: the server was started without "--preview"');
  const files = project.begin();
  return await Previews.open({
    files,
    facts: new FileFactsCalls(),
    roots: new Roots(files, openRoots(files, setup.scopes)),
    whyLeft: (path) => protectionAt(path, setup) === undefined ? undefined : "it is protected",
    places: `${store}/previews`,
    trees: setup.scopes,
    ...previews,
    now: Date.now,
  });
}

/** The directories that are there. */
export function openRoots(files: OpenFiles, paths: readonly string[]): readonly Root[] {
  return paths.flatMap((path) => {
    const directory = files.directoryAt(path);
    return directory === undefined ? [] : [{ path, directory }];
  });
}

interface ChosenPart {
  readonly chosen: readonly string[] | undefined;
  readonly shown: Shown;
}

/** The changes of a preview, with a diff and what can be done. */
export async function previewText(
  previews: Previews,
  preview: Preview,
  { chosen, shown }: ChosenPart,
): Promise<string> {
  const { operation, left, stale } = preview;
  const changes = preview.changes.filter(({ path }) => chosen?.some((one) => isWithin(path, one)) ?? true);
  const isAny = told(changes).length > 0;
  const diff = await diffText(changes, (content, most) => previews.content(preview, content, most), shown);
  const how = { ...shown, isWhole: chosen !== undefined, verb: "would change" };
  const others = stale.map((path) => ({
    path,
    reason: "it was changed while the command ran, so this cannot be applied",
  }));
  return [
    isAny ? changeLines({ ...preview, changes }, how, diff) : "Preview: it would change nothing.",
    ...left.length === 0 ? [] : ["Left out of the preview:", reasonLines(left, shown)],
    ...stale.length === 0 ? [] : [reasonLines(others, shown)],
    ...isAny
      ? [`Nothing is changed yet. \`${CHANGES}\` ${operation} with action "apply" puts it in place, "drop" forgets it.`]
      : [],
  ].join("\n");
}

export async function dropPreview(previews: Previews, { operation }: Preview): Promise<ToolResult> {
  await previews.drop(operation);
  return textResult(`Dropped preview ${operation}. Nothing was changed.`);
}

interface Applying extends ChosenPart {
  /** Undefined: the apply is not recorded, and cannot be undone. */
  readonly recorder: Recorder | undefined;
  /** The operation that the apply is. */
  readonly as: string;
}

/** Puts a preview in place, or nothing of it. */
export async function applyPreview(
  previews: Previews,
  preview: Preview,
  { chosen, shown, recorder, as }: Applying,
): Promise<ToolResult> {
  const { operation } = preview;
  recorder?.begin({ operation: as, title: `apply of ${operation}` });
  let applied;
  try {
    applied = previews.apply(preview, chosen);
  } finally {
    recorder?.end(as);
  }
  const { differs, done, left } = applied;
  if (differs.length > 0) {
    const reasons = differs.map((path) => ({ path, reason: "it is not as the preview saw it" }));
    const text = `Cannot apply ${operation}, so nothing was changed:\n${reasonLines(reasons, shown)}\n` +
      "Run the command again, or name other paths in `paths`.";
    return { ...textResult(text), isError: true };
  }
  const problem = recorder?.takeProblem();
  const isOver = left.length === 0 && chosen === undefined;
  if (isOver) await previews.drop(operation);
  const undo = recorder === undefined ? "" : ` Undo of this: \`${CHANGES}\` ${as}.`;
  return {
    ...textResult([
      `Put ${counted(done.length, "path")} in place.${undo}`,
      ...left.length === 0 ? [] : ["Left alone:", reasonLines(left, shown)],
      ...problem === undefined ? [] : [`Not all of it can be undone: ${problem}.`],
    ].join("\n")),
    ...left.length > 0 && done.length === 0 && { isError: true },
  };
}

/** The calls of the server, in their order. */
export const PREVIEW_CALLS: Readonly<Record<string, NativeTool>> = {
  [PREVIEW_BEGIN]: async (recorded: Recorded, context) => {
    await (await previewsOf(context)).begin(recorded);
    return textResult("");
  },
  [PREVIEW_BYTES]: async (_args: never, context) => textResult(`${(await previewsOf(context)).bytes()}`),
  [PREVIEW_LOOK]: async ({ operation }: Pick<Recorded, "operation">, context) => {
    const previews = await previewsOf(context);
    const preview = previews.look(operation);
    if (preview === undefined) throw new UserError(`Cannot show preview "${operation}": it was not started here`);
    const shown = { ...shownBy(context.project, {}), isBrief: true };
    const text = await previewText(previews, preview, { chosen: undefined, shown });
    if (preview.changes.length === 0) await previews.drop(operation);
    return textResult(text);
  },
  [PREVIEW_DROP]: async ({ operation }: Pick<Recorded, "operation">, context) => {
    await (await previewsOf(context)).drop(operation);
    return textResult("");
  },
  [PREVIEW_CLOSE]: async (_args: never, context) => {
    await (await previewsOf(context))[Symbol.asyncDispose]();
    return textResult("");
  },
};

function previewsOf({ project }: ToolContext): Promise<Previews> {
  return project.kept(Previewing).previews;
}
