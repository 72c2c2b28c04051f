/** One of the sandboxes of a session: with what a person had allowed when it was made (S35). It ends when nothing uses it. */
import type { CommandEnd } from "../../base/command/command_end.ts";
import type { PinnedSubject } from "../../base/command/grant_subject.ts";
import type {
  CommandHooks,
  CommandRequest,
  OpenCommand,
  OpenRequest,
  OpenShell,
} from "../../process/command_runner.ts";
import type { LinuxRunner } from "../../process/linux/linux_runner.ts";
import type { ExplainedRunner } from "./explained_runner.ts";

export class AllowedSandbox implements AsyncDisposable {
  readonly runner: LinuxRunner;
  readonly explained: ExplainedRunner;
  readonly allowed: readonly PinnedSubject[];
  /** Commands and shells. */
  readonly #used = new Set<Promise<unknown>>();
  readonly #shells = new WeakSet<OpenShell>();
  #closing: Promise<void> | undefined;

  /** `explained`: the same runner, with explanations. */
  constructor(explained: ExplainedRunner, runner: LinuxRunner, allowed: readonly PinnedSubject[]) {
    this.runner = runner;
    this.explained = explained;
    this.allowed = allowed;
  }

  run(request: CommandRequest, hooks: CommandHooks): Promise<CommandEnd> {
    return this.#use(this.explained.run(request, hooks));
  }

  /** @throws {Error} When the system cannot start a process. */
  async open(request: OpenRequest, hooks: CommandHooks): Promise<OpenCommand> {
    const opened = await this.#use(this.runner.open(request, hooks));
    void this.#use(opened.end);
    return opened;
  }

  /** `holdsStill`: what is open in it was not taken back. @throws {Error} When it cannot be started. */
  async openShell(directory: string, holdsStill: () => boolean): Promise<OpenShell> {
    const shell = await this.#use(this.runner.openShell(directory));
    void this.#use(shell.ended);
    const guarded = withCurrency(shell, holdsStill);
    this.#shells.add(guarded);
    return guarded;
  }

  /** Whether the shell runs in it. */
  has(shell: OpenShell): boolean {
    return this.#shells.has(shell);
  }

  /** Settles when the last command in it has ended, and it is closed. */
  async retire(): Promise<void> {
    void this.runner.retire();
    while (this.#used.size > 0) await Promise.allSettled(this.#used);
    await this.runner.settled();
    await this[Symbol.asyncDispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#closing ??= this.runner[Symbol.asyncDispose]();
  }

  async #use<Result>(work: Promise<Result>): Promise<Result> {
    this.#used.add(work);
    try {
      return await work;
    } finally {
      this.#used.delete(work);
    }
  }
}

/** The shell, in which no further line runs once something that it may use was taken back. */
function withCurrency(shell: OpenShell, holdsStill: () => boolean): OpenShell {
  return {
    get directory() {
      return shell.directory;
    },
    get end() {
      return shell.end;
    },
    ended: shell.ended,
    background: () => shell.background(),
    isCurrent: async () => holdsStill() && await shell.isCurrent(),
    run: (line, hooks) => shell.run(line, hooks),
    close: (killAfterMs) => shell.close(killAfterMs),
  };
}
