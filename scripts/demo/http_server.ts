import { withDeadline } from "../../tests/_support/deadline.ts";
import { readLines } from "../../tests/_support/line_reader.ts";
import { HTTP_PERMISSIONS, SERVER_RUN_FLAGS } from "../permissions.ts";
import type { Project } from "./project.ts";

const BUNDLE = new URL("../../dist/ahma_mcp.mjs", import.meta.url).pathname;
const DEADLINE = 20_000;

/** The packed program in HTTP mode, as a person starts it. */
export class HttpServer implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #reading: Promise<void>;
  readonly #address = Promise.withResolvers<URL>();
  #written = "";

  /** Starts it with a port of the system's choice. */
  constructor(project: Project, flags: readonly string[]) {
    this.#child = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        ...SERVER_RUN_FLAGS,
        ...HTTP_PERMISSIONS,
        BUNDLE,
        "--mode",
        "http",
        "--http-port",
        "0",
        ...flags,
      ],
      cwd: project.directory,
      clearEnv: true,
      env: { ...project.environment(), NO_COLOR: "1" },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    this.#reading = this.#read();
    // The caller that waits for the address hears of it.
    this.#address.promise.catch(() => undefined);
  }

  /** Where it listens. Rejects with what the server wrote when it did not start. */
  get address(): Promise<URL> {
    return withDeadline(this.#address.promise, DEADLINE, "the server to listen");
  }

  /** Asks it to end, as Ctrl-C or a service manager does. */
  stop(): void {
    this.#child.kill("SIGTERM");
  }

  /** Its exit code. */
  async exit(): Promise<number> {
    return (await withDeadline(this.#child.status, DEADLINE, "the server to end")).code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGTERM");
    } catch (error) {
      // It ended in the last step, as it should.
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
