import type { CommandEnd } from "../../base/command/command_end.ts";
import type { CommandHooks, CommandRequest, SessionRunner } from "../../process/command_runner.ts";
import { RunnerDecorator } from "./runner_decorator.ts";
import type { RecordedCalls } from "../undo/recorded_calls.ts";

/** The runner, whose commands are recorded where `calls` is defined; its owner disposes of it (S39). */
export function recordedBy(runner: SessionRunner, calls: RecordedCalls | undefined): SessionRunner {
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
