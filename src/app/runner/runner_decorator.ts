import type { CommandEnd } from "../../base/command/command_end.ts";
import type {
  CommandHooks,
  CommandRequest,
  OpenCommand,
  OpenRequest,
  OpenShell,
  SessionRunner,
} from "../../process/command_runner.ts";

/** A runner that passes everything on to another one; a subclass adds to what it overrides. */
export abstract class RunnerDecorator<Inner extends SessionRunner = SessionRunner> implements SessionRunner {
  protected readonly inner: Inner;

  constructor(inner: Inner) {
    this.inner = inner;
  }

  get policy(): SessionRunner["policy"] {
    return this.inner.policy;
  }

  get selfTest(): SessionRunner["selfTest"] {
    return this.inner.selfTest;
  }

  warmUp(): Promise<void> {
    return this.inner.warmUp();
  }

  run(request: CommandRequest, hooks: CommandHooks): Promise<CommandEnd> {
    return this.inner.run(request, hooks);
  }

  /** @throws {Error} As the inner runner's. */
  open(request: OpenRequest, hooks: CommandHooks): Promise<OpenCommand> {
    return this.inner.open(request, hooks);
  }

  /** @throws {Error} As the inner runner's. */
  openShell(directory: string): Promise<OpenShell> {
    return this.inner.openShell(directory);
  }

  settled(): Promise<void> {
    return this.inner.settled();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.inner[Symbol.asyncDispose]();
  }
}
