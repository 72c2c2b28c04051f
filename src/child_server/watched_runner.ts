/** Starts a child server, and tells what it has changed of protected paths while it runs (S8, S24). */
import type { ProtectedChange } from "../base/command/protected_change.ts";
import type { CommandHooks, OpenCommand, OpenRequest, SessionRunner } from "../process/command_runner.ts";

export class WatchedRunner implements Pick<SessionRunner, "open"> {
  readonly #runner: Pick<SessionRunner, "open">;
  #running: OpenCommand | undefined;

  constructor(runner: Pick<SessionRunner, "open">) {
    this.#runner = runner;
  }

  /** @throws {Error} As the runner's. */
  async open(request: OpenRequest, hooks: CommandHooks): Promise<OpenCommand> {
    const command = this.#running = await this.#runner.open(request, hooks);
    void command.end.then(() => {
      if (this.#running === command) this.#running = undefined;
    });
    return command;
  }

  /** Of the one that was started last, since the last time. @throws {Error} When protected paths cannot be checked. */
  async changes(): Promise<readonly ProtectedChange[]> {
    const found: ProtectedChange[] = [];
    await this.#running?.tellChanges?.((changes) => found.push(...changes));
    return found;
  }
}
