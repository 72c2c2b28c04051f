/** Programs that native tools use. They run in the worker's sandbox, because its processes inherit it (S3, K2). */
import { UserError } from "../../base/errors.ts";
import { expected } from "../../system/paths.ts";
import { isExecutableFile, programPaths, searchPath } from "../../system/search_path.ts";

/** A program call without a shell. */
export interface ProgramCall {
  /** Searched on the PATH of commands. */
  readonly program: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly directory: string;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Variables in addition to those of commands; absent: none. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** How a program ended. */
export interface ProgramEnd {
  readonly code: number;
  /** The beginning of stderr, at most 8 KiB. */
  readonly stderr: string;
}

/** A running program; disposal ends it. */
export interface RunningProgram extends AsyncDisposable {
  readonly output: ReadableStream<Uint8Array>;
  readonly ended: Promise<ProgramEnd>;
}

const MOST_STDERR_BYTES = 8192;
const MOST_GIT_BYTES = 32 * 1024 * 1024;
const DECODER = new TextDecoder();

/** The path of a program on the PATH; undefined: there is none. */
export function findProgram(name: string): string | undefined {
  return programPaths(name, searchPath(Deno.env.get("PATH")), "/").find((path) => {
    const found = expected(() => Deno.statSync(path));
    return found !== undefined && isExecutableFile(found);
  });
}

/** Starts a program. @throws {UserError} When no program has that name, or it cannot be started. */
export function startProgram({ program, args, directory, signal, environment = {} }: ProgramCall): RunningProgram {
  const path = findProgram(program);
  if (path === undefined) throw new UserError(`Cannot run "${program}": there is no such program on the PATH`);
  const child = new Deno.Command(path, {
    args: [...args],
    cwd: directory,
    env: { ...environment },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal,
  }).spawn();
  const said = firstWords(child.stderr);
  let isRunning = true;
  const ended = child.status.then(async ({ code }) => {
    isRunning = false;
    return { code, stderr: await said };
  });
  return {
    output: child.stdout,
    ended,
    async [Symbol.asyncDispose]() {
      if (isRunning) child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Starts a helper process from its command line, with additional variables. */
export function startHelper(
  [program = "", ...args]: readonly string[],
  env: Record<string, string>,
): Deno.ChildProcess {
  return new Deno.Command(program, { args, env, stdin: "piped", stdout: "piped", stderr: "null" }).spawn();
}

/** Runs a program. @throws {UserError} When it writes more than `mostBytes`, or cannot be started. */
export async function runProgram(
  call: ProgramCall,
  mostBytes: number,
): Promise<ProgramEnd & { readonly stdout: string }> {
  await using running = startProgram(call);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of running.output) {
    length += chunk.length;
    if (length > mostBytes) throw new UserError(`"${call.program}" writes more than ${mostBytes} bytes`);
    chunks.push(new Uint8Array(chunk));
  }
  return { ...await running.ended, stdout: DECODER.decode(await new Blob(chunks).bytes()) };
}

/** Runs git without settings that start programs or change its output. @throws {UserError} As `runProgram`. */
export async function runGit(
  words: readonly string[],
  { directory, signal }: Pick<ProgramCall, "directory" | "signal">,
): Promise<ProgramEnd & { readonly stdout: string }> {
  const args = ["-c", "core.fsmonitor=false", "-c", "core.quotePath=false", ...words];
  const environment = { GIT_OPTIONAL_LOCKS: "0", LC_ALL: "C" };
  return await runProgram({ program: "git", args, directory, signal, environment }, MOST_GIT_BYTES);
}

async function firstWords(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    if (text.length < MOST_STDERR_BYTES) text += DECODER.decode(chunk);
  }
  return text.slice(0, MOST_STDERR_BYTES);
}
