/** Native tools, loaded when a group of them is offered, or when something of theirs is asked for. */
import { lazy } from "../base/lazy.ts";
import { failure } from "../base/outcome.ts";
import type { ToolSource } from "../service/service.ts";
import { toolGroups } from "../settings/bundles.ts";
import { projectDirectories } from "./program/directories.ts";
import type { CommandHooks, CommandRequest, SessionRunner } from "../process/command_runner.ts";
import { previewedBy } from "./runner/previewing_runner.ts";
import { checkUndoStore } from "./undo/undo_store.ts";
import { isReadable } from "./writable_trees.ts";
import type { OpenToolbox, OpenToolboxOptions } from "./open_toolbox.ts";
import type { CommandEnd } from "../base/command/command_end.ts";
import { RunnerDecorator } from "./runner/runner_decorator.ts";
import type { RecordedCalls } from "./undo/recorded_calls.ts";

interface LateToolboxOptions extends Omit<OpenToolboxOptions, "directories"> {
  readonly runner: SessionRunner;
}

interface LateToolbox extends OpenToolbox {
  /** Records what commands change where that is asked for; its owner disposes of it. */
  readonly runner: SessionRunner;
}

/** The tools of `--bundles`. @throws {UserError} For an unusable directory, or an open store of `--undo`. */
export async function lateToolbox(options: LateToolboxOptions): Promise<LateToolbox> {
  const { settings, environment, runner } = options;
  const keeps = settings.undo.isOn || settings.preview.isOn;
  if (keeps) {
    const reaches = (path: string) => settings.sandbox.enforce && isReadable(path, { settings, environment });
    checkUndoStore(environment, reaches, settings.undo.isOn ? "--undo" : "--preview");
  }
  const directories = await projectDirectories(options.settings, options.sandbox);
  let opened: Promise<OpenToolbox> | undefined;
  const open = lazy(() =>
    opened = import("./open_toolbox.ts").then(({ openToolbox }) => openToolbox({ ...options, directories }))
  );
  if (toolGroups(options.settings.bundles).length > 0 || keeps) {
    const toolbox = await open();
    return { ...toolbox, runner: previewedBy(runner, recordedBy(runner, toolbox.recorded), toolbox.previews) };
  }
  return {
    runner,
    source: NO_TOOLS,
    resources: [],
    migrate: async (how) => await (await open()).migrate(how),
    findValues: async (asked, signal) => await (await open()).findValues(asked, signal),
    changes: async (args, signal) => await (await open()).changes(args, signal),
    warmUp: () => Promise.resolve(),
    async [Symbol.asyncDispose]() {
      await (await opened)?.[Symbol.asyncDispose]();
    },
  };
}

/** The same list at each time: it never changes. */
const NONE: readonly never[] = [];
const NO_TOOLS: ToolSource = {
  list: () => Promise.resolve(NONE),
  call: () => Promise.resolve(failure({ known: NONE })),
};

/** The runner, whose commands are recorded where `calls` is defined; its owner disposes of it (S39). */
function recordedBy(runner: SessionRunner, calls: RecordedCalls | undefined): SessionRunner {
  return calls === undefined ? runner : new RecordedRunner(runner, calls);
}

/** Records what each command of an operation changes. */
class RecordedRunner extends RunnerDecorator {
  readonly #calls: RecordedCalls;

  constructor(inner: SessionRunner, calls: RecordedCalls) {
    super(inner);
    this.#calls = calls;
  }

  override async run(request: CommandRequest, hooks: CommandHooks): Promise<CommandEnd> {
    const { operation, run } = request;
    if (operation === undefined) return await this.inner.run(request, hooks);
    const line = "shell" in run ? run.shell : run.argv.join(" ");
    const call = { id: operation.id, title: `${operation.tool}: ${line}` };
    const { result, notes } = await this.#calls.around(call, () => this.inner.run(request, hooks));
    return notes.length === 0 ? result : { ...result, notes: [...result.notes ?? [], ...notes] };
  }
}
