import type { CommandLine } from "../../client/command_line.ts";

/** A program that listens at this machine, at a port that it prints. */
export class LocalProgram implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly port: number;

  private constructor(child: Deno.ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** Starts it, and waits for its port. @throws {Error} When it prints none. */
  static async start(line: CommandLine): Promise<LocalProgram> {
    const { command, args, directory: cwd, environment: env } = line;
    const child = new Deno.Command(command, { args: [...args], cwd, env: { ...env }, clearEnv: true, stdout: "piped" })
      .spawn();
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const { value } = await reader.read();
    await reader.cancel();
    const port = Number(value);
    if (!(port > 0)) throw new Error(`"${command} ${args.join(" ")}" printed no port: ${value}`);
    return new LocalProgram(child, port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.status;
  }
}
