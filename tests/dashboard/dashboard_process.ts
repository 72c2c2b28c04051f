/** The dashboard of a bench's user, as its page asks it. */
import { readLines } from "../_support/line_reader.ts";
import { withDeadline } from "../_support/deadline.ts";
import { programStart } from "../_support/program.ts";
import type { Workbench } from "../_support/workbench.ts";
import { HTTP_PERMISSIONS } from "../../scripts/permissions.ts";

const DEADLINE = 30_000;

/** One event of a stream. */
export type DashboardEvent = Readonly<Record<string, unknown>>;

/** What was answered. */
export interface DashboardAnswer {
  readonly status: number;
  readonly text: string;
}

export class DashboardProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #reading: Promise<unknown>;
  readonly #closed = new AbortController();
  #hasEnded = false;
  /** The address of the page without its token. */
  readonly address: string;
  readonly token: string;

  private constructor(child: Deno.ChildProcess, line: string, reading: Promise<unknown>) {
    this.#child = child;
    void child.status.then(() => {
      this.#hasEnded = true;
    });
    this.#reading = reading;
    const { origin, hash } = new URL(line);
    [this.address, this.token] = [origin, hash.slice(1)];
  }

  static async start(bench: Workbench, flags: readonly string[] = []): Promise<DashboardProcess> {
    const start = programStart(bench, ["dashboard", ...flags], [], HTTP_PERMISSIONS);
    const child = new Deno.Command(start.command, {
      args: [...start.args],
      cwd: bench.elsewhere,
      clearEnv: true,
      env: { ...start.environment },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const first = Promise.withResolvers<string>();
    let stderr = "";
    const reading = Promise.all([
      readLines(child.stdout, (line) => first.resolve(line)),
      readLines(child.stderr, (line) => stderr += `${line}\n`),
    ]);
    void child.status.then(() => first.reject(new Error(`The dashboard ended: ${stderr}`)));
    return new DashboardProcess(child, await withDeadline(first.promise, DEADLINE, "the address"), reading);
  }

  /** Of the page, as it is printed. */
  get url(): string {
    return `${this.address}/#${this.token}`;
  }

  /** Asks with the token, unless a header says otherwise. */
  async ask(path: string, init: RequestInit = {}): Promise<DashboardAnswer> {
    const response = await this.#fetch(path, init);
    return { status: response.status, text: await response.text() };
  }

  /** Does what a button of the page does. */
  async act(action: object, headers: Readonly<Record<string, string>> = {}): Promise<DashboardAnswer> {
    return await this.ask("/api/action", {
      method: "POST",
      body: JSON.stringify(action),
      headers: { "ahma-action": "1", "content-type": "application/json", ...headers },
    });
  }

  /** The events of a path, until the dashboard or the reader ends them. */
  async *events(path: string): AsyncGenerator<DashboardEvent> {
    const response = await this.#fetch(path, {});
    if (response.status !== 200 || response.body === null) throw new Error(await response.text());
    let rest = "";
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      const parts = `${rest}${text}`.split("\n\n");
      rest = parts.pop() ?? "";
      for (const part of parts) {
        const data = /^data: (.+)$/m.exec(part)?.[1];
        if (data !== undefined) yield JSON.parse(data);
      }
    }
  }

  /** Ends it as ctrl-c does, with streams open; gives its exit code. */
  async interrupt(): Promise<number> {
    this.#child.kill("SIGINT");
    return (await withDeadline(this.#child.status, DEADLINE, "the end of the dashboard")).code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    if (!this.#hasEnded) this.#child.kill("SIGTERM");
    await withDeadline(Promise.all([this.#child.status, this.#reading]), DEADLINE, "the end of the dashboard");
  }

  async #fetch(path: string, { headers, ...init }: RequestInit): Promise<Response> {
    return await fetch(`${this.address}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${this.token}`, ...headers as Record<string, string> },
      signal: this.#closed.signal,
    });
  }
}
