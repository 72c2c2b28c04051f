/** Writes every command to the audit log, before it runs and when it ended (S18). */
import type { CommandEnd } from "../../base/command/command_end.ts";
import type { CommandInput, RunningCommand } from "../../base/command/running_command.ts";
import { OperationIds } from "../../operation/operation_id.ts";
import type {
  CommandHooks,
  CommandRequest,
  OpenCommand,
  OpenRequest,
  SessionRunner,
} from "../../process/command_runner.ts";
import type { AuditedCommand, AuditLog } from "./audit_log.ts";
import { RunnerDecorator } from "./runner_decorator.ts";

/** Used instead of a tool's name: for an availability check, and for a third-party server. */
const CHECK = "(check)";
const SERVER = "(server)";

/** Of one command. */
const MOST_NETWORK_LINES = 1000;

/** Disposing of it closes the runner, then the log. */
export class AuditedRunner extends RunnerDecorator {
  readonly #log: AuditLog;
  readonly #ids = new OperationIds();
  /** Ends that are being written. */
  readonly #writing = new Set<Promise<void>>();

  constructor(inner: SessionRunner, log: AuditLog) {
    super(inner);
    this.#log = log;
  }

  override async run(request: CommandRequest, hooks: CommandHooks): Promise<CommandEnd> {
    const command = this.#describe(request, CHECK);
    const begun = await this.#log.begin(command);
    if (!begun.ok) return { kind: "not_started", message: begun.problem, fault: "server" };
    const onRunning = (running: RunningCommand) => hooks.onRunning?.(this.#withAuditedInput(running, command));
    const end = await this.inner.run(request, {
      ...hooks,
      onRunning,
      onNetwork: this.#withAuditedNetwork(hooks, command),
    });
    await this.#write(command, end);
    return end;
  }

  /** @throws {Error} As the inner runner's, and when the log cannot be written. */
  override async open(request: OpenRequest, hooks: CommandHooks): Promise<OpenCommand> {
    const command = this.#describe(request, SERVER);
    const begun = await this.#log.begin(command);
    if (!begun.ok) throw new Error(begun.problem);
    const audited = { ...hooks, onNetwork: this.#withAuditedNetwork(hooks, command) };
    const opened = await this.inner.open(request, audited).catch(async (thrown) => {
      await this.#write(command, { kind: "not_started", message: thrown instanceof Error ? thrown.message : "" });
      throw thrown;
    });
    return { ...opened, end: opened.end.then((end) => this.#write(command, end).then(() => end)) };
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    using _log = this.#log;
    try {
      await this.inner[Symbol.asyncDispose]();
    } finally {
      await Promise.all(this.#writing); // what ends with the runner is written too
    }
  }

  /** What is typed is written to the log first, and not typed where that fails. */
  #withAuditedInput(running: RunningCommand, command: AuditedCommand): RunningCommand {
    const { input } = running;
    if (input === undefined) return running;
    const write: CommandInput["write"] = async (bytes, by) => {
      const written = await this.#log.input(command, bytes.length, by);
      if (!written.ok) throw new Error(written.problem);
      await input.write(bytes);
    };
    return {
      listensAt: (port) => running.listensAt(port),
      holds: (process) => running.holds(process),
      inputWait: () => running.inputWait(),
      usage: () => running.usage(),
      input: { write, close: () => input.close(), ...input.terminal !== undefined && { terminal: input.terminal } },
    };
  }

  /** A command that asks for names without end fills no disk with them. */
  #withAuditedNetwork(hooks: CommandHooks, command: AuditedCommand): CommandHooks["onNetwork"] {
    let lines = 0;
    return (use) => {
      hooks.onNetwork?.(use);
      if (++lines <= MOST_NETWORK_LINES) this.#keep(this.#log.network(command, use));
    };
  }

  #describe(
    { run, directory, operation }: Pick<CommandRequest, "run" | "directory" | "operation">,
    otherwise: string,
  ): AuditedCommand {
    return { operation: operation ?? { id: this.#ids.next(Date.now()), tool: otherwise }, run, directory };
  }

  #write(command: AuditedCommand, end: CommandEnd): Promise<void> {
    return this.#keep(this.#log.end(command, end));
  }

  /** What ends with the runner is written too. */
  #keep(writing: Promise<void>): Promise<void> {
    const written = writing.finally(() => this.#writing.delete(written));
    this.#writing.add(written);
    return written;
  }
}
