import type { CommandLine } from "../client/command_line.ts";

/** Spawns from C, one batch at a time. */
export class CSpawner implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #lines: ReadableStreamDefaultReader<string>;
  #rest = "";

  constructor(line: CommandLine) {
    this.#child = new Deno.Command(line.command, {
      cwd: line.directory,
      clearEnv: true,
      env: { ...line.environment },
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    this.#writer = this.#child.stdin.getWriter();
    this.#lines = this.#child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Milliseconds of `count` spawns of `bash -c 'echo hi'`, each after a pause. */
  async spawn(count: number, pauseMilliseconds: number): Promise<readonly number[]> {
    await this.#writer.write(new TextEncoder().encode(`${count} ${pauseMilliseconds}\n`));
    while (!this.#rest.includes("\n")) {
      const { value, done } = await this.#lines.read();
      if (done) throw new Error("The C program ended early");
      this.#rest += value;
    }
    const [line = ""] = this.#rest.split("\n", 1);
    this.#rest = this.#rest.slice(line.length + 1);
    return line.split(" ").map((microseconds) => Number(microseconds) / 1000);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.close();
    await this.#child.status;
    await this.#lines.cancel();
  }
}

/** Milliseconds of one plain `Deno.Command` of `bash -c command`, output read to its end. */
export async function plainCommand(line: CommandLine, command: string): Promise<number> {
  const begin = performance.now();
  await new Deno.Command("bash", {
    args: ["-c", command],
    cwd: line.directory,
    clearEnv: true,
    env: { ...line.environment },
    stdin: "null",
    stderr: "null",
  }).output();
  return performance.now() - begin;
}
