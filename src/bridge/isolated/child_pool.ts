/**
 * Our own program as the server process of isolated sessions, with one spare process started ahead (N5): it has loaded
 * its code and waits, in `/`, for the scope that it is told once (`scope_message.ts`). Until then it has none: no file
 * of any scope is open, no tool file and no setting of a project read, no sandbox prepared, no shell started. From then
 * on it does what a process that is started with its scope does, so a session's process is born with its final scope as
 * far as anything in it can tell.
 */
import type { PinnedDirectory } from "../../sandbox/policy/policy.ts";
import { startOwnProgram } from "../../process/spawn.ts";
import { attachProcess } from "../../child_server/attached_process.ts";
import { scopeMessage } from "./scope_message.ts";
import type { ChildServer, ChildServerHooks } from "../../child_server/child_server.ts";

interface ChildPoolOptions {
  readonly command: string;
  /** They make it wait for its scope, which comes at once. */
  readonly args: readonly string[];
  /** The same for the spare process. */
  readonly argsAhead: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Processes at once, the spare aside: where there are so many, nobody would need it. */
  readonly most: number;
  /** Whether the machine has memory to spare. */
  readonly hasRoom: () => boolean;
}

export class ChildPool implements AsyncDisposable {
  readonly #options: ChildPoolOptions;
  #spare: Deno.ChildProcess | undefined;
  #running = 0;
  #closed = false;

  constructor(options: ChildPoolOptions) {
    this.#options = options;
  }

  /** A server process with these scopes, the first being its directory. @throws {Error} when the system cannot */
  start(scopes: readonly PinnedDirectory[], hooks: ChildServerHooks): ChildServer {
    const child = this.#take() ?? this.#spawn(this.#options.args);
    // When it has answered for the first time, it is through with its start, and another may load its code.
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
    const { most, hasRoom } = this.#options;
    if (this.#closed || this.#spare !== undefined || this.#running >= most || !hasRoom()) return;
    const child = this.#spawn(this.#options.argsAhead);
    this.#spare = child;
    // One that ends while it waits, because somebody killed it, is not used; the next use starts another.
    void child.status.then(() => {
      if (this.#spare === child) this.#spare = undefined;
    });
  }

  #spawn(args: readonly string[]): Deno.ChildProcess {
    const { command, environment } = this.#options;
    return startOwnProgram({ command, args, environment, directory: "/" });
  }
}
