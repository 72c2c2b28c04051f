/**
 * Starts this program as the child server of isolated sessions, with one spare (N5). The spare has loaded its code and
 * waits in `/`: until it receives its scope, it opens no file of any, prepares no sandbox and starts no shell. Then it
 * is like any other.
 */
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { PinnedDirectory } from "../../sandbox/policy/policy.ts";
import { startOwnProgram } from "../../process/spawn.ts";
import { scopeMessage } from "./scope_message.ts";
import { attachProcess, type ChildServer, type ChildServerHooks } from "../../child_server/child_server.ts";

/** How our own program is started as a child server. */
export interface ChildProgram {
  readonly command: string;
  /** Arguments of a process whose scope follows at once. */
  readonly args: readonly string[];
  /** Arguments of the spare process. */
  readonly argsAhead: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

interface ChildPoolOptions extends ChildProgram {
  /** Processes that run sessions at the same time; at this number no spare is started. */
  readonly most: number;
  readonly log: Logger;
}

export class ChildPool implements AsyncDisposable {
  readonly #options: ChildPoolOptions;
  #spare: Deno.ChildProcess | undefined;
  #running = 0;
  #closed = false;

  constructor(options: ChildPoolOptions) {
    this.#options = options;
  }

  /** Starts a child server with these scopes; the first is its directory. @throws {Error} when the system cannot */
  start(scopes: readonly PinnedDirectory[], hooks: ChildServerHooks): ChildServer {
    const child = this.#take() ?? this.#spawn(this.#options.args);
    // The first output means that the start is over; the next spare may load its code now.
    let refill: (() => void) | undefined = () => this.#refill();
    const server = attachProcess(child, {
      ...hooks,
      onOutput(chunk) {
        refill?.();
        refill = undefined;
        hooks.onOutput(chunk);
      },
    });
    this.#running++;
    void server.ended.then(() => this.#running--);
    void server.write(scopeMessage(scopes));
    return server;
  }

  /** Ends the spare process; resolves when it has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const child = this.#take();
    if (child === undefined) return;
    child.kill("SIGKILL");
    await Promise.all([child.status, child.stdin.abort(), child.stdout.cancel(), child.stderr.cancel()]);
  }

  #take(): Deno.ChildProcess | undefined {
    const child = this.#spare;
    this.#spare = undefined;
    return child;
  }

  #refill(): void {
    if (this.#closed || this.#spare !== undefined || this.#running >= this.#options.most) return;
    let child: Deno.ChildProcess;
    try {
      child = this.#spawn(this.#options.argsAhead);
    } catch (thrown) {
      // The program was moved, or the system has no room for a process: the next session tries by itself.
      this.#options.log.warn("Cannot start a spare process", { error: messageOf(thrown) });
      return;
    }
    this.#spare = child;
    // A spare that was killed while it waited is not used; the next session starts a new process.
    void child.status.then(() => {
      if (this.#spare === child) this.#spare = undefined;
    });
  }

  #spawn(args: readonly string[]): Deno.ChildProcess {
    const { command, environment } = this.#options;
    return startOwnProgram({ program: command, args, environment, directory: "/" });
  }
}
