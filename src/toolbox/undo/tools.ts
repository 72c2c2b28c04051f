/** The calls of the worker that records changes: it reads and writes files of the project, and starts no program (S39). */
import { UserError } from "../../base/errors.ts";
import { isWithin } from "../../system/paths.ts";
import { Recorder } from "../../undo/recorder.ts";
import { type RecordedOperation, told } from "../../undo/model/change.ts";
import { UNDO_BEGIN, UNDO_END, UNDO_START } from "../definition/undo.ts";
import { textResult, type ToolResult } from "../frame/messages.ts";
import type { NativeTool, ToolContext } from "../project/native_tool.ts";
import type { Project } from "../project/project.ts";
import { chosenPaths } from "./chosen_paths.ts";
import { diffText } from "./diff_text.ts";
import { applyPreview, dropPreview, openRoots, PREVIEW_CALLS, Previewing, previewText } from "./previewing.ts";
import { changeLines, operationAsJson, operationLines, type Shown, shownBy, undoneLines } from "./texts.ts";
import { counted } from "../../base/text.ts";

/** See the definition of `changes`, and what only the server adds. */
export interface ChangesArguments {
  readonly operation_id?: string;
  readonly action?: "show" | "undo" | "apply" | "drop";
  readonly paths?: readonly string[];
  readonly as?: string;
  readonly json?: boolean;
}

/** One for the worker: the first call looks at the whole project. */
class Recording {
  readonly #project: Project;
  #recorder: Recorder | undefined;
  /** The project cannot be recorded at all. */
  #refused: UserError | undefined;

  constructor(project: Project) {
    this.#project = project;
  }

  get recorder(): Recorder {
    if (this.#refused !== undefined) throw this.#refused;
    try {
      return this.#recorder ??= openRecorder(this.#project);
    } catch (thrown) {
      if (thrown instanceof UserError) this.#refused = thrown;
      throw thrown;
    }
  }
}

function openRecorder(project: Project): Recorder {
  const { undo, scopes } = project.setup;
  if (undo?.ignoredBytes === undefined) {
    throw new UserError('Cannot record changes: the server was started without "--undo"');
  }
  const files = project.begin();
  const { store, ignoredBytes } = undo;
  return new Recorder({ files, roots: openRoots(files, scopes), store, ignoredBytes, now: Date.now });
}

function recorderOf({ project }: ToolContext): Recorder {
  return project.kept(Recording).recorder;
}

/** Every answer says what could not be recorded. */
function answer(recorder: Recorder, text: string): ToolResult {
  const problem = recorder.takeProblem();
  return textResult(
    problem === undefined ? text : `${text}${text === "" ? "" : "\n"}Not all of it can be undone: ${problem}.`,
  );
}

function begin({ operation, title }: { readonly operation: string; readonly title: string }, context: ToolContext) {
  const recorder = recorderOf(context);
  recorder.begin({ operation, title });
  return answer(recorder, "");
}

function end({ operation }: { readonly operation: string }, context: ToolContext): ToolResult {
  const recorder = recorderOf(context);
  const { changes, refs } = recorder.end(operation);
  const count = told(changes).length;
  const parts = [
    ...count === 0 ? [] : [counted(count, "path")],
    ...refs.length === 0 ? [] : ["names of git"],
  ];
  return answer(recorder, parts.length === 0 ? "" : `Changed ${parts.join(" and ")} (\`changes\` ${operation}).`);
}

async function changes(args: ChangesArguments, context: ToolContext): Promise<ToolResult> {
  const { project } = context;
  const recorder = project.setup.undo?.ignoredBytes === undefined ? undefined : recorderOf(context);
  const shown = shownBy(project, args);
  const { operation_id: wanted, action = "show", paths, as = crypto.randomUUID() } = args;
  if (wanted === undefined && action !== "show") {
    throw new UserError(`Cannot ${action}: argument "operation_id" names no operation`);
  }
  const previews = project.setup.undo?.previews && await project.kept(Previewing).previews;
  const preview = wanted === undefined ? undefined : previews?.find(wanted);
  if (previews !== undefined && preview !== undefined) {
    if (action === "drop") return await dropPreview(previews, preview);
    const { operation, left } = preview;
    const changes = [...preview.changes, ...left];
    const chosen = chosenPaths(paths, { operation, changes, directory: project.directory, shown });
    if (action === "show") return textResult(await previewText(previews, preview, { chosen, shown }));
    if (action === "undo") throw new UserError(`Cannot undo "${wanted}": it was a preview, and changed nothing`);
    return await applyPreview(previews, preview, { chosen, shown, recorder, as });
  }
  if (action === "apply" || action === "drop") {
    throw new UserError(
      `Cannot ${action} "${wanted}": no preview of that operation is kept. Without operation_id they are listed`,
    );
  }
  const operations = recorder?.operations() ?? [];
  if (wanted === undefined || recorder === undefined) {
    return textResult(operationLines([...previews?.all().map(asPreview) ?? [], ...operations], shown));
  }
  if (action === "undo" && recorder.isRunning(wanted)) {
    throw new UserError(
      `Operation "${wanted}" still runs: \`await\` its end, or end it with \`cancel\`, and undo it then`,
    );
  }
  const found = operations.find(({ operation }) => operation === wanted);
  if (found === undefined) {
    throw new UserError(
      `Operation "${wanted}" changed nothing here that is kept. Without operation_id the last are listed`,
    );
  }
  const named = chosenPaths(paths, { ...found, directory: project.directory, shown });
  if (action === "undo") return undo(recorder, found, { chosen: named, as, context, shown });
  const chosen = named === undefined ? found : only(found, named);
  const diff = await diffText(chosen.changes, (content, most) => recorder.content(content, most), shown);
  const isWhole = named !== undefined;
  return textResult(
    shown.json ? operationAsJson(chosen, shown, diff) : changeLines(chosen, { ...shown, isWhole }, diff),
  );
}

async function undo(
  recorder: Recorder,
  found: RecordedOperation,
  { chosen, as: operation, context, shown }: {
    readonly chosen: readonly string[] | undefined;
    /** The operation that the undo is. */
    readonly as: string;
    readonly context: ToolContext;
    readonly shown: Shown;
  },
): Promise<ToolResult> {
  const title = `undo of ${found.operation}`;
  const undone = await withPauses(recorder.undo(found.changes, chosen, { operation, title }, context.signal));
  const result = answer(recorder, undoneLines({ ...undone, refs: found.refs, operation }, shown));
  return { ...result, ...undone.left.length > 0 && undone.done.length === 0 && { isError: true } };
}

/** Lets other calls be answered where the work yields. */
async function withPauses<Result>(work: Generator<undefined, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

function asPreview(preview: RecordedOperation): RecordedOperation {
  return { ...preview, title: `[preview] ${preview.title}` };
}

function only(found: RecordedOperation, paths: readonly string[]): RecordedOperation {
  return { ...found, changes: found.changes.filter(({ path }) => paths.some((one) => isWithin(path, one))) };
}

/** The code of each call by its name. */
export const TOOLS: Readonly<Record<string, NativeTool>> = {
  [UNDO_START]: (_args: never, context) => answer(recorderOf(context), ""),
  [UNDO_BEGIN]: begin,
  [UNDO_END]: end,
  changes,
  ...PREVIEW_CALLS,
};
