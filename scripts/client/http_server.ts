import { withDeadline } from "../../tests/_support/deadline.ts";
import { readLines } from "../../tests/_support/line_reader.ts";
import type { CommandLine } from "./command_line.ts";

const DEADLINE = 30_000;

/** A server over HTTP as a process, for benches, demonstrations and tests. */
export class HttpServer implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #reading: Promise<unknown>;
  readonly #address = Promise.withResolvers<URL>();
  #stdout = "";
  #stderr = "";

  /** Starts it. */
  constructor(line: CommandLine) {
    this.#child = new Deno.Command(line.command, {
      args: [...line.args],
      cwd: line.directory,
      clearEnv: true,
      env: { ...line.environment },
      stdin: "null",
      stdout: "piped",
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

  /** Everything written to stdout so far, which carries nothing. */
  get stdout(): string {
    return this.#stdout;
  }

  /** Everything written to stderr so far. */
  get stderr(): string {
    return this.#stderr;
  }

  /** Sends a signal; SIGTERM asks the server to end, as Ctrl-C or a service manager does. */
  kill(signal: Deno.Signal = "SIGTERM"): void {
    this.#child.kill(signal);
  }

  /** How the server ended. */
  async exit(deadline = DEADLINE): Promise<Deno.CommandStatus> {
    return await withDeadline(this.#child.status, deadline, "the end of the HTTP server");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.kill();
    } catch (error) {
      // The server has ended already.
      if (!(error instanceof TypeError)) throw error;
    }
    await this.exit();
    await this.#reading;
  }

  #read(): Promise<unknown> {
    const errors = readLines(this.#child.stderr, (line) => {
      this.#stderr += `${line}\n`;
      const url = /^Listening on (http:\S+)$/.exec(line)?.[1];
      if (url !== undefined) this.#address.resolve(new URL(url));
    }).then(() => this.#address.reject(new Error(`The server did not start. It wrote:\n${this.#stderr}`)));
    return Promise.all([errors, readLines(this.#child.stdout, (line) => this.#stdout += `${line}\n`)]);
  }
}
