/**
 * Writes down what runs without being a command of a tool (S18): checks whether a program is there, and servers that a
 * person names (`list-tools -- COMMAND`, `--server-command`).
 */
import type { CommandEnd } from "../base/command/command_end.ts";
import { OperationIds } from "../operation/operation_id.ts";
import type { CommandHooks, CommandRequest } from "../process/command_runner.ts";
import type { OpenCommand, OpenRequest } from "../process/session_runner.ts";
import type { SessionRunner } from "../process/session_runner.ts";
import type { Audit, AuditedCommand } from "../service/service.ts";

/** What stands in the place of the tool. */
const CHECK = "(check)";
const SERVER = "(server)";

/** The session's runner for all but the commands of tools, which the service writes down itself. */
export class AuditedRunner implements SessionRunner {
  readonly #runner: SessionRunner;
  readonly #audit: Audit;
  readonly #ids = new OperationIds();
  /** Ends that are being written. */
  readonly #writing = new Set<Promise<void>>();

  constructor(runner: SessionRunner, audit: Audit) {
    this.#runner = runner;
    this.#audit = audit;
  }

  get policy(): SessionRunner["policy"] {
    return this.#runner.policy;
  }

  get selfTest(): SessionRunner["selfTest"] {
    return this.#runner.selfTest;
  }

  warmUp(): Promise<void> {
    return this.#runner.warmUp();
  }

  async run(request: CommandRequest, hooks: CommandHooks): Promise<CommandEnd> {
    const command = this.#describe(request, CHECK);
    const begun = await this.#audit.begin(command);
    if (!begun.ok) return { kind: "not_started", message: begun.problem, fault: "server" };
    const end = await this.#runner.run(request, hooks);
    await this.#write(command, end);
    return end;
  }

  /** @throws {Error} as the runner's, and when it cannot be written down */
  async open(request: OpenRequest, hooks: CommandHooks): Promise<OpenCommand> {
    const command = this.#describe(request, SERVER);
    const begun = await this.#audit.begin(command);
    if (!begun.ok) throw new Error(begun.problem);
    const opened = await this.#runner.open(request, hooks).catch(async (thrown) => {
      await this.#write(command, { kind: "not_started", message: thrown instanceof Error ? thrown.message : "" });
      throw thrown;
    });
    return { ...opened, end: opened.end.then((end) => this.#write(command, end).then(() => end)) };
  }

  settled(): Promise<void> {
    return this.#runner.settled();
  }

  /** Waits for what is being written; the runner itself belongs to the session. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#writing);
  }

  #describe({ run, directory }: Pick<CommandRequest, "run" | "directory">, tool: string): AuditedCommand {
    return { operation: this.#ids.next(Date.now()), tool, run, directory };
  }

  #write(command: AuditedCommand, end: CommandEnd): Promise<void> {
    const written = this.#audit.end(command, end).finally(() => this.#writing.delete(written));
    this.#writing.add(written);
    return written;
  }
}
