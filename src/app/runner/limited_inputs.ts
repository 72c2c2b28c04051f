/** Bounds how many commands of a server have an open input at once (X22): each holds a process, and a terminal a screen. */
import type { CommandEnd } from "../../base/command/command_end.ts";
import type { CommandHooks, CommandRequest } from "../../process/command_runner.ts";
import { RunnerDecorator } from "./runner_decorator.ts";

/** Pipes and terminals together. */
const MOST = 64;
const REFUSAL = `${MOST} commands with input or tty run, which is the limit: end one of them with \`cancel\`; ` +
  "`status` lists them";

export class LimitedInputs extends RunnerDecorator {
  #open = 0;

  override async run(request: CommandRequest, hooks: CommandHooks): Promise<CommandEnd> {
    if (request.input === undefined) return await this.inner.run(request, hooks);
    if (this.#open >= MOST) return { kind: "not_started", message: REFUSAL };
    this.#open++;
    try {
      return await this.inner.run(request, hooks);
    } finally {
      this.#open--;
    }
  }
}
