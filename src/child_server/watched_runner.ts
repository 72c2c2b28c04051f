/** Starts a child server, and tells what it has changed of protected paths while it runs (S8, S24). */
import type { ProtectedChange } from "../base/command/protected_change.ts";
import { messageOf } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import type { CommandHooks, OpenCommand, OpenRequest, SessionRunner } from "../process/command_runner.ts";

export interface CallFacts {
  /** Whether it may leave processes. */
  readonly runsPrograms: boolean;
}

/** What a call of it changed. @throws {Error} When protected paths cannot be checked. */
export type EndWork = () => Promise<readonly ProtectedChange[]>;

export class WatchedRunner implements Pick<SessionRunner, "open"> {
  readonly #runner: Pick<SessionRunner, "open">;
  readonly #isOwn: boolean;
  #running: OpenCommand | undefined;
  #calls = 0;
  /** It may have left processes that change files between calls. */
  #hasLeft = false;
  /** Settles when the rest before the calls of now has ended. */
  #beginning: Promise<void> | undefined;

  /** `isOwn`: it is this program, which does nothing between calls. */
  constructor(runner: Pick<SessionRunner, "open">, { isOwn }: { readonly isOwn: boolean }) {
    this.#runner = runner;
    this.#isOwn = isOwn;
  }

  /** @throws {Error} As the runner's. */
  async open(request: OpenRequest, hooks: CommandHooks): Promise<OpenCommand> {
    const command = this.#running = await this.#runner.open(request, hooks);
    this.#hasLeft = false;
    if (this.#mayRest) command.guard?.rests();
    void command.end.then(() => {
      if (this.#running === command) this.#running = undefined;
    });
    return command;
  }

  /** Begins a call; what it gives ends the call. @throws {Error} When protected paths cannot be checked. */
  async begin({ runsPrograms }: CallFacts): Promise<EndWork> {
    if (this.#mayRest) this.#beginning = this.#running?.guard?.begins();
    this.#calls++;
    try {
      await this.#beginning;
    } catch (thrown) {
      this.#calls--;
      throw thrown;
    }
    this.#hasLeft ||= runsPrograms;
    return () => {
      this.#calls--;
      return this.changes();
    };
  }

  /** Of the one that was started last, since the last time. @throws {Error} When protected paths cannot be checked. */
  async changes(): Promise<readonly ProtectedChange[]> {
    const found: ProtectedChange[] = [];
    await this.#running?.guard?.ends((changes) => found.push(...changes), () => this.#mayRest);
    return found;
  }

  get #mayRest(): boolean {
    return this.#isOwn && !this.#hasLeft && this.#calls === 0;
  }
}

/** From one look to the next, milliseconds. */
const PAUSE_MS = 1000;

/** Looks after what a server has written, where no result of ours can tell what changed; the log does. */
export class LooksAfterOutput {
  readonly #runner: Pick<WatchedRunner, "changes">;
  readonly #log: Logger;
  #isResting = false;
  #isDue = false;
  #hasEnded = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(runner: Pick<WatchedRunner, "changes">, log: Logger) {
    this.#runner = runner;
    this.#log = log;
  }

  /** To be called when it has written. */
  wrote(): void {
    this.#isDue = this.#isResting;
    if (this.#isResting) return;
    this.#isResting = true;
    void this.#look().finally(() => this.#rest());
  }

  /** To be called when it has ended: nothing is left to look after. */
  ended(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
  }

  #rest(): void {
    if (this.#hasEnded) return;
    const timer = setTimeout(() => this.#rested(), PAUSE_MS);
    Deno.unrefTimer(timer);
    this.#timer = timer;
  }

  #rested(): void {
    this.#isResting = false;
    if (this.#isDue) this.wrote();
  }

  async #look(): Promise<void> {
    try {
      const changes = await this.#runner.changes();
      if (changes.length > 0) this.#log.warn("The server changed protected paths", { changes });
    } catch (thrown) {
      this.#log.warn("Cannot look at protected paths", { error: messageOf(thrown) });
    }
  }
}
