/** A person at a terminal, who runs the packed program, types, and sees what the terminal shows. */
import { withDeadline } from "./deadline.ts";
import { programStart } from "./program.ts";
import type { Workbench } from "./workbench.ts";

const TERMINAL = new URL("on_terminal.py", import.meta.url).pathname;
const DEADLINE = 30_000;

/** How the program left its terminal. */
export interface Left {
  readonly code: number;
  /** Whether the terminal has its earlier settings again. */
  readonly isAsBefore: boolean;
}

export interface PersonOptions {
  readonly rows?: number;
  readonly columns?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

export class Person implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reading: Promise<void>;
  readonly #report: Promise<string>;
  #shown = "";
  #seen = 0;
  #isOver = false;
  #changed = Promise.withResolvers<void>();

  /** Runs the program with these words. */
  constructor(
    bench: Workbench,
    words: readonly string[],
    { rows = 30, columns = 100, environment }: PersonOptions = {},
  ) {
    const start = programStart(bench, words, ["python3", TERMINAL, String(rows), String(columns)]);
    this.#child = new Deno.Command(start.command, {
      args: [...start.args].map((word) => word === "deno" ? Deno.execPath() : word),
      cwd: bench.scope,
      clearEnv: true,
      env: { ...start.environment, TERM: "xterm", ...environment },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#writer = this.#child.stdin.getWriter();
    this.#report = new Response(this.#child.stderr).text();
    this.#reading = this.#read();
  }

  /** The id of the process that has the terminal. */
  get pid(): number {
    return this.#child.pid;
  }

  /** All that the terminal has shown. */
  get shown(): string {
    return this.#shown;
  }

  /** Waits until the terminal shows it, after everything found earlier; returns the match. */
  async sees(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#shown.slice(this.#seen));
      if (found !== null) {
        this.#seen += found.index + found[0].length;
        return found;
      }
      if (this.#isOver) throw new Error(`The program ended before ${pattern} in ${JSON.stringify(this.#shown)}`);
      await withDeadline(this.#changed.promise, DEADLINE, `${pattern} in ${JSON.stringify(this.#shown.slice(-2000))}`);
    }
  }

  async types(text: string): Promise<void> {
    await this.#order({ type: text });
  }

  async resizes(rows: number, columns: number): Promise<void> {
    await this.#order({ size: [rows, columns] });
  }

  /** Whether the terminal takes what the program writes. */
  async reads(does: "stop" | "go"): Promise<void> {
    await this.#order({ [does]: true });
  }

  /** Waits for the end of the program. */
  async left(): Promise<Left> {
    const report = await withDeadline(
      this.#report,
      DEADLINE,
      `the end of the program after ${this.#shown.slice(-2000)}`,
    );
    await this.#reading;
    return JSON.parse(report);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.close().catch(() => {});
    try {
      this.#child.kill("SIGKILL");
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    await this.#child.status;
    await Promise.all([this.#reading, this.#report]);
  }

  async #order(order: object): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(`${JSON.stringify(order)}\n`));
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.#child.stdout) {
      this.#shown += decoder.decode(chunk, { stream: true });
      this.#changed.resolve();
      this.#changed = Promise.withResolvers();
    }
    this.#isOver = true;
    this.#changed.resolve();
  }
}
