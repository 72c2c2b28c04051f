import type { CommandEnd } from "../../base/command/command_end.ts";
import type { CommandHooks, CommandRequest, SessionRunner } from "../../process/command_runner.ts";
import { VIEW_STEP } from "../../sandbox/launcher/steps/preview_steps.ts";
import type { PreviewCalls } from "../undo/preview_calls.ts";
import { RunnerDecorator } from "./runner_decorator.ts";

/** `changing`, but what is to be previewed runs on `inner`; undefined: nothing is (S40). Their owner disposes of both. */
export function previewedBy(
  inner: SessionRunner,
  changing: SessionRunner,
  calls: PreviewCalls | undefined,
): SessionRunner {
  return calls === undefined ? changing : new PreviewingRunner(changing, inner, calls);
}

const WAY_OUT = "Run it without `preview`; `--undo` keeps what a command changes instead";

/** Runs commands that change nothing, and says what they would have changed. */
class PreviewingRunner extends RunnerDecorator {
  readonly #unrecorded: SessionRunner;
  readonly #calls: PreviewCalls;
  /** The last run of each operation: those of one share a view, in turn. */
  readonly #running = new Map<string, Promise<unknown>>();

  constructor(inner: SessionRunner, unrecorded: SessionRunner, calls: PreviewCalls) {
    super(inner);
    this.#unrecorded = unrecorded;
    this.#calls = calls;
  }

  override async run(request: CommandRequest, hooks: CommandHooks): Promise<CommandEnd> {
    const { preview, operation } = request;
    if (preview !== true) return await this.inner.run(request, hooks);
    if (operation === undefined) return refused("it belongs to no operation");
    const turn = (this.#running.get(operation.id) ?? Promise.resolve()).then(() =>
      this.#run(request, operation, hooks)
    );
    this.#running.set(operation.id, turn);
    try {
      return await turn;
    } finally {
      if (this.#running.get(operation.id) === turn) this.#running.delete(operation.id);
    }
  }

  async #run(
    request: CommandRequest,
    { id, tool }: NonNullable<CommandRequest["operation"]>,
    hooks: CommandHooks,
  ): Promise<CommandEnd> {
    const problem = await this.#impossible();
    if (problem !== undefined) return refused(problem);
    const { run } = request;
    const line = "shell" in run ? run.shell : run.argv.join(" ");
    const begun = await this.#calls.begin({ id, title: `${tool}: ${line}` });
    if (!begun.ok) return refused(begun.problem);
    const { end, isFull } = await this.#within({ ...request, view: begun.value }, hooks);
    if (isFull) {
      await this.#calls.drop(id);
      const note = `Preview: it was ended and dropped, because previews may keep ${begun.value.mostBytes} bytes ` +
        "(--preview-most). Nothing was changed.";
      return { ...end, notes: [...end.notes ?? [], note] };
    }
    if (end.kind === "not_started") {
      await this.#calls.drop(id);
      return end.message.includes(VIEW_STEP)
        ? refused(`this system cannot mount a copy-on-write view (overlayfs by users, Linux 5.11): ${end.message}`)
        : end;
    }
    const seen = await this.#calls.look(id);
    if (!seen.ok) await this.#calls.drop(id);
    const note = seen.ok ? seen.value : `Cannot say what it would have changed: ${seen.problem}. Nothing was changed.`;
    return { ...end, notes: [...end.notes ?? [], note] };
  }

  /** Runs it until it ends, or its view is full. */
  async #within(
    request: CommandRequest,
    hooks: CommandHooks,
  ): Promise<{ readonly end: CommandEnd; readonly isFull: boolean }> {
    const ended = new AbortController();
    const full = new AbortController();
    const measured = this.#calls.isFull(ended.signal).then((isFull) => {
      if (isFull) full.abort();
      return isFull;
    });
    const signal = AbortSignal.any([hooks.signal, full.signal]);
    const end = await this.#unrecorded.run(request, { ...hooks, signal }).finally(() => ended.abort());
    return { end, isFull: await measured };
  }

  /** Why nothing can be previewed here; undefined: it can. */
  async #impossible(): Promise<string | undefined> {
    if (!this.#calls.place.isEnforced) return "there is no sandbox (--no-sandbox), so commands change the scope itself";
    const policy = await this.policy;
    return policy?.namespaces === true
      ? undefined
      : "this system refuses user and mount namespaces (`ahma_mcp doctor --sandbox` says which)";
  }
}

function refused(why: string): CommandEnd {
  return { kind: "not_started", message: `Cannot preview: ${why}. ${WAY_OUT}` };
}
