/** The packed program as a person uses it: one command line, its output, its exit code. */
import { withDeadline } from "./deadline.ts";
import { programStart } from "./program.ts";
import type { Workbench } from "./workbench.ts";

/** The outcome of one run. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How to run; everything has a default. */
export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Absent: the bench's scope. */
  readonly directory?: string;
  /** Milliseconds, default 60,000. */
  readonly deadline?: number;
  /** Start it by its script, dist/ahma_mcp, as clients do. */
  readonly script?: boolean;
  /** A program, and its first words, that runs it. */
  readonly prefix?: readonly string[];
  /** Further permissions of the runtime. */
  readonly permissions?: readonly string[];
  /** The input that a person types; absent: none. */
  readonly typed?: string;
}

const SCRIPT = new URL("../../dist/ahma_mcp", import.meta.url).pathname;

const DEADLINE = 60_000;

/** Runs the program with these words in the bench's scope. */
export async function runProgram(bench: Workbench, words: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { command, args, environment } = programStart(bench, words, options.prefix, options.permissions);
  return await runCommand(bench, options.script === true ? [SCRIPT, ...words] : [command, ...args], {
    ...options,
    environment: { ...environment, AHMA_DENO: Deno.execPath(), ...options.environment },
  });
}

/** Runs it on a terminal of 80 columns, made by `script` of util-linux; stdout and stderr are one there. */
export async function runOnTerminal(bench: Workbench, words: readonly string[], typed?: string): Promise<Ran> {
  const { command, args, environment } = programStart(bench, words);
  const { NO_COLOR: _, ...colourful } = environment;
  const line = `stty cols 80; ${[command, ...args].map(quoted).join(" ")}`;
  return await runCommand(bench, ["script", "-qec", line, "/dev/null"], {
    environment: { ...colourful, TERM: "xterm", SHELL: "/bin/sh" },
    ...typed === undefined ? {} : { typed },
  });
}

/** Runs a line of a shell in which `ahma_mcp` is the program. */
export async function runShellLine(bench: Workbench, shell: readonly string[], line: string): Promise<Ran> {
  const { command, args, environment } = programStart(bench, []);
  const folder = `${bench.parent}/bin`;
  bench.write(`${folder}/ahma_mcp`, `#!/bin/sh\nexec ${[command, ...args].map(quoted).join(" ")} "$@"\n`);
  await Deno.chmod(`${folder}/ahma_mcp`, 0o755);
  const PATH = `${folder}:${environment["PATH"]}`;
  return await runCommand(bench, [...shell, line], { environment: { ...environment, PATH } });
}

async function runCommand(bench: Workbench, words: readonly string[], options: RunOptions): Promise<Ran> {
  const [command = "", ...args] = words;
  const child = new Deno.Command(command, {
    args,
    cwd: options.directory ?? bench.scope,
    clearEnv: true,
    env: { ...options.environment },
    stdin: options.typed === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  if (options.typed !== undefined) await new Blob([options.typed]).stream().pipeTo(child.stdin);
  const text = new TextDecoder();
  const { code, stdout, stderr } = await withDeadline(
    child.output(),
    options.deadline ?? DEADLINE,
    `the end of ${words.join(" ")}`,
  );
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
