/** How a client starts the very program that runs now. */

/** A command line: an absolute path, and what comes before our own flags. */
interface ProgramLine {
  readonly command: string;
  readonly args: readonly string[];
}

/** A command line that works for every client. */
export interface RunningProgram extends ProgramLine {
  /** What it must find in its environment: clients with a window lack the PATH of a terminal, where the runtime is. */
  readonly environment: Readonly<Record<string, string>>;
}

/** What the runtime is asked for when the program runs without its script; scripts/permissions.ts has the reasons. */
export const RUN_FLAGS: readonly string[] = [
  "--no-prompt",
  "--allow-read",
  "--allow-write",
  "--allow-env",
  "--allow-run",
  "--allow-ffi",
  "--allow-sys",
];

/** What is looked at, so that a test can pass another program's. */
export interface ProgramFacts {
  /** URL of the first module. */
  readonly mainModule: string;
  /** The runtime, or the standalone program. */
  readonly executable: string;
  readonly standalone: boolean;
  readonly exists: (path: string) => boolean;
}

/** The packed program's script where it stands next to it, the standalone program, else the runtime with our module. */
export function runningProgram({ mainModule, executable, standalone, exists }: ProgramFacts): RunningProgram {
  if (standalone) return { command: executable, args: [], environment: {} };
  const path = decodeURIComponent(new URL(mainModule).pathname);
  const script = path.replace(/\.mjs$/, "");
  if (script !== path && exists(script)) return { command: script, args: [], environment: { AHMA_DENO: executable } };
  return { command: executable, args: ["run", ...RUN_FLAGS, path], environment: {} };
}

/** The packed program needs nothing that is not in it. */
const PACKED_FLAGS: readonly string[] = ["--no-config", "--no-lock", "--no-remote", "--no-npm", "--cached-only"];

/**
 * There may be many of it, mostly idle: young objects get 1 MiB instead of the 16 that a busy start makes them grow to.
 * That saves 7 MB of each, and costs neither its start nor a flood of output anything that could be measured (N5).
 */
const SMALL_HEAP = "--v8-flags=--min-semi-space-size=1,--max-semi-space-size=1";

/** How this program starts itself once more: by the same runtime, without a shell between. Not for people. */
export function sessionProgram(): ProgramLine {
  const command = Deno.execPath();
  if (Deno.build.standalone) return { command, args: [] };
  const path = decodeURIComponent(new URL(Deno.mainModule).pathname);
  const packed = path.endsWith(".mjs") ? PACKED_FLAGS : [];
  return { command, args: ["run", SMALL_HEAP, ...RUN_FLAGS, ...packed, path] };
}

/** The program that runs now. */
export function thisProgram(): RunningProgram {
  return runningProgram({
    mainModule: Deno.mainModule,
    executable: Deno.execPath(),
    standalone: Deno.build.standalone,
    exists: isFile,
  });
}

/** Files of the program as it is installed, in a project's node_modules for one; none of it when run from its sources. */
export function programFiles(): readonly string[] {
  if (Deno.build.standalone) return [Deno.execPath()];
  const path = decodeURIComponent(new URL(Deno.mainModule).pathname);
  return path.endsWith(".mjs") ? [Deno.execPath(), path, path.replace(/\.mjs$/, "")] : [];
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return false;
    throw thrown;
  }
}
