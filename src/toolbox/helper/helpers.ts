/** Helper processes for parsers and foreign patterns. Unlike threads they can be killed, and the kernel bounds them. */
import { failure, type Outcome } from "../../base/outcome.ts";
import { Turns } from "../../operation/concurrency.ts";
import type { WorkerSetup } from "../frame/messages.ts";
import { CANCELLED, Helper, type HelperProblem, type TaskOptions } from "./helper.ts";
import type { HelperKind } from "./messages.ts";

/** Most at once, and one of each kind except `search`, so that many hostile pages take no more memory than one. */
const MOST = 4;
/** How long an idle helper is kept for the next task, milliseconds, because a start takes longer than most tasks. */
const IDLE_MS = 30_000;

/** All helpers of a worker. */
export class Helpers implements AsyncDisposable {
  readonly #setup: WorkerSetup;
  readonly #turns = new Turns(MOST);
  #kept: Helper | undefined;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor({ setup }: { readonly setup: WorkerSetup }) {
    this.#setup = setup;
  }

  /** Does a task when its turn comes. @throws {Error} When no helper can be started. */
  async ask<Result, Part = never>(
    kind: HelperKind,
    task: unknown,
    options: TaskOptions<Part>,
  ): Promise<Outcome<Result, HelperProblem>> {
    const turn = { exclusive: kind === "search" ? [] : [kind] };
    const answer = await this.#turns.take(turn, options.signal, async () => {
      const helper = this.#takeKept() ?? new Helper(this.#setup);
      const answer = await helper.ask<Result, Part>(kind, task, options);
      if (helper.isFree && this.#kept === undefined) this.#keep(helper);
      else await helper.end();
      return answer;
    });
    return answer ?? failure(CANCELLED);
  }

  /** Ends the idle helper. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#takeKept()?.end();
  }

  #keep(helper: Helper): void {
    this.#kept = helper;
    this.#idle = setTimeout(() => void this[Symbol.asyncDispose](), IDLE_MS);
  }

  #takeKept(): Helper | undefined {
    const kept = this.#kept;
    clearTimeout(this.#idle);
    this.#kept = undefined;
    return kept;
  }
}
