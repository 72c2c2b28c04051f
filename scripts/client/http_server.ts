import { withDeadline } from "../../tests/_support/deadline.ts";
import { readLines } from "../../tests/_support/line_reader.ts";
import type { CommandLine } from "./command_line.ts";

const DEADLINE = 30_000;

/** A server over HTTP as a process, for benches and demonstrations. */
export class HttpServer implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #reading: Promise<void>;
  readonly #address = Promise.withResolvers<URL>();
  #written = "";

  /** Starts it. */
  constructor(line: CommandLine) {
    this.#child = new Deno.Command(line.command, {
      args: [...line.args],
      cwd: line.directory,
      clearEnv: true,
      env: { ...line.environment },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    this.#reading = this.#read();
    // The caller that waits for the address receives the error.
    this.#address.promise.catch(() => undefined);
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** The address of the endpoint. Rejects with the server's stderr when the server did not start. */
  get address(): Promise<URL> {
    return withDeadline(this.#address.promise, DEADLINE, "the HTTP server to listen");
  }

  /** Asks the server to end, as Ctrl-C or a service manager does. */
  stop(): void {
    this.#child.kill("SIGTERM");
  }

  /** The exit code. */
  async exit(): Promise<number> {
    return (await withDeadline(this.#child.status, DEADLINE, "the HTTP server to end")).code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.stop();
    } catch (error) {
      // The server has ended already.
      if (!(error instanceof TypeError)) throw error;
    }
    await this.exit();
    await this.#reading;
  }

  async #read(): Promise<void> {
    await readLines(this.#child.stderr, (line) => {
      this.#written = `${this.#written}${line}\n`.slice(-4_000);
      const url = /^Listening on (http:\S+)$/.exec(line)?.[1];
      if (url !== undefined) this.#address.resolve(new URL(url));
    });
    this.#address.reject(new Error(`The server did not start:\n${this.#written}`));
  }
}
