import { ownExecutable } from "../../tests/_support/packages/own_executable.ts";
import { undefinedFor } from "../../src/base/errors.ts";
import { until } from "../../tests/_support/deadline.ts";
import type { User } from "../../tests/_support/workbench.ts";
import type { Beside } from "./beside/beside.ts";
import type { CommandLine } from "../client/command_line.ts";
import { HTTP_PERMISSIONS, SERVER_RUN_FLAGS } from "../permissions.ts";

/** Where the programs under measurement come from, and the same clean environment for each of them. */

const ROOT = new URL("../../", import.meta.url).pathname;

export class Programs implements Disposable {
  readonly #directory = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "ahma-bench-" }));

  /** Other servers that are measured next to ours. */
  readonly beside: readonly Beside[];

  constructor(beside: readonly Beside[] = []) {
    this.beside = beside;
    for (const name of ["home", "scope"]) Deno.mkdirSync(`${this.#directory}/${name}`);
  }

  /** A directory outside every program's scope. */
  get parent(): string {
    return this.#directory;
  }

  /** Writes a file and gives its path. */
  write(path: string, text: string): string {
    Deno.writeTextFileSync(path, text);
    return path;
  }

  /** Removes the stored proof of the self-test, as a boot does. */
  async forgetProofs(): Promise<void> {
    await Deno.remove(this.#proofs, { recursive: true }).catch(undefinedFor(Deno.errors.NotFound));
  }

  /** Waits until a server has kept that its self-test passed. */
  async proofKept(): Promise<void> {
    await until(() => isFile(`${this.#proofs}/self-test`), 10_000, "the proof of the self-test");
  }

  get #proofs(): string {
    return `${this.#directory}/home/.local/state/ahma/proofs`;
  }

  /** Who runs them. */
  get user(): User {
    return Deno.uid() === 0 ? "root" : "ordinary";
  }

  /** The packed program. @throws Error with the remedy when it is not packed. */
  packed(...flags: readonly string[]): CommandLine {
    return this.#deno([...SERVER_RUN_FLAGS, bundle(), ...flags]);
  }

  /** The packed program on any free port. @throws Error with the remedy when it is not packed. */
  http(...flags: readonly string[]): CommandLine {
    const words = ["--mode", "http", "--http-port", "0", ...flags];
    return this.#deno([...SERVER_RUN_FLAGS, ...HTTP_PERMISSIONS, bundle(), ...words]);
  }

  /** The executable, and the start script with the same runtime. @throws Error with the remedy when they are not made. */
  installed(): { readonly executable: CommandLine; readonly script: CommandLine } {
    const script = this.line(`${ROOT}dist/ahma_mcp`, []);
    return {
      executable: this.line(ownExecutable(), []),
      script: { ...script, environment: { ...script.environment, AHMA_DENO: Deno.execPath() } },
    };
  }

  /** A file for `--mcp-config` with these servers. */
  config(name: string, entries: Readonly<Record<string, object>>): string {
    const path = `${this.#directory}/${name}.json`;
    Deno.writeTextFileSync(path, JSON.stringify({ mcpServers: entries }));
    return path;
  }

  /** A directory in the scope, made where it is missing. */
  directory(name: string): string {
    const path = `${this.#directory}/scope/${name}`;
    Deno.mkdirSync(path, { recursive: true });
    return path;
  }

  /** The empty server, or one that is a mere loop over lines, packed the same way as ours. */
  async emptyPacked(name: "empty_server" | "raw_server" = "empty_server"): Promise<CommandLine> {
    const output = `${this.#directory}/${name}.mjs`;
    const source = `${ROOT}scripts/bench/${name}.ts`;
    const words = ["bundle", "--quiet", "--platform", "deno", "--minify", "-o", output, source];
    await run(Deno.execPath(), words, ROOT);
    return this.#deno([...SERVER_RUN_FLAGS, output]);
  }

  /** The C program that spawns; undefined where gcc is missing. */
  async spawner(): Promise<CommandLine | undefined> {
    const program = await this.compiled("floor");
    return program === undefined ? undefined : this.line(program, []);
  }

  /** Where commands find a program of ours in C, named by its source without `.c`; undefined where gcc is missing. */
  async compiled(source: string): Promise<string | undefined> {
    const output = `${this.directory("bin")}/${source.slice(source.lastIndexOf("/") + 1)}`;
    try {
      await run("gcc", ["-O2", "-pthread", "-o", output, `${ROOT}scripts/bench/${source}.c`], ROOT);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
    return output;
  }

  /** Any program in the clean environment. */
  line(command: string, args: readonly string[]): CommandLine {
    const home = Deno.env.get("HOME") ?? "/";
    return {
      command,
      args,
      directory: `${this.#directory}/scope`,
      environment: {
        PATH: "/usr/local/bin:/usr/bin:/bin",
        HOME: `${this.#directory}/home`,
        LANG: "C.UTF-8",
        // The runtime's code cache, as a person's second start would find it.
        DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("XDG_CACHE_HOME") ?? `${home}/.cache`}/deno`,
        DENO_NO_UPDATE_CHECK: "1",
      },
    };
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.#directory, { recursive: true });
  }

  #deno(words: readonly string[]): CommandLine {
    return this.line(Deno.execPath(), ["run", ...words]);
  }
}

function bundle(): string {
  const path = `${ROOT}dist/ahma_mcp.mjs`;
  if (isFile(path)) return path;
  throw new Error(`Cannot measure "${path}": there is no such file. Run "deno task bundle" first`);
}

async function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(command, { args: [...args], cwd, stdout: "null" }).output();
  if (!success) throw new Error(`"${command}" failed: ${new TextDecoder().decode(stderr)}`);
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
