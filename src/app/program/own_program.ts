/** How a client starts the very program that runs now. */
import { UserError } from "../../base/errors.ts";
import { words } from "../../base/text.ts";
import { VERSION } from "../../base/version.ts";
import { isFile, parentOf } from "../../system/paths.ts";
import { GIVES_BACK } from "./start_memory.ts";

/** A command line: an absolute path, and what comes before our own flags. */
interface ProgramLine {
  readonly command: string;
  readonly args: readonly string[];
}

/** A command line that works for every client. */
export interface RunningProgram extends ProgramLine {
  /** Variables that it needs: graphical clients lack the PATH of a terminal, where the runtime is. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The permissions requested when the program runs without its script; scripts/permissions.ts has the reasons. */
export const RUN_FLAGS: readonly string[] = words(
  "--no-prompt --allow-read --allow-write --allow-env --allow-run --allow-ffi --allow-sys",
);

/** Checks the network permission. @throws {UserError} When missing; `cannot`: for what, such as "listen on". */
export async function insistOnNetwork(host: string, cannot: string): Promise<void> {
  const { state } = await Deno.permissions.query({ name: "net", host });
  if (state === "granted") return;
  throw new UserError(
    `Cannot ${cannot} "${host}": this runtime was started without network permission. ` +
      "Start the program by its script (dist/ahma_mcp), or give deno --allow-net",
  );
}

/** The descriptor at which an executable with the runtime in it finds its program text, sealed in memory. */
export const PROGRAM_DESCRIPTOR = 100;
/** The runtime's name for that program text: a file that it reads once. */
export const PROGRAM_TEXT: string = `/proc/self/fd/${PROGRAM_DESCRIPTOR}`;

/** What is inspected, so that a test can pass another program's. */
export interface ProgramFacts {
  /** URL of the first module. */
  readonly mainModule: string;
  /** The runtime, or the executable. */
  readonly executable: string;
  /** Made by `deno compile`. */
  readonly standalone: boolean;
  readonly exists: (path: string) => boolean;
}

/** How the program is installed: one file with the runtime in it, packed for a runtime elsewhere, or as its sources. */
export type ProgramForm = "executable" | "packed program" | "sources";

/** The form of a program. Pure. */
export function programForm({ mainModule, standalone }: Pick<ProgramFacts, "mainModule" | "standalone">): ProgramForm {
  if (standalone || mainModule === `file://${PROGRAM_TEXT}`) return "executable";
  return mainModule.endsWith(".mjs") ? "packed program" : "sources";
}

/** The form of the program that runs now. */
export function thisForm(): ProgramForm {
  return programForm({ mainModule: Deno.mainModule, standalone: Deno.build.standalone });
}

/** The file of our first module; not for executables. */
export function programPath(): string {
  return modulePath(Deno.mainModule);
}

/** Where files of workers are: next to the packed program, or next to what was last packed. */
export function workerDirectory(): string {
  return `${parentOf(programPath())}${thisForm() === "sources" ? "/dist" : ""}/worker`;
}

function modulePath(url: string): string {
  return decodeURIComponent(new URL(url).pathname);
}

/** Where a package manager has put the packed program: the directory of packages that holds ours. */
const IN_PACKAGE = /^(.*\/node_modules)\/ahma_mcp\/bin\/ahma_mcp\.mjs$/;
/** npx keeps what it installs in its cache, where it does not stay. */
const OF_NPX = /\/_npx\/[^/]+\/node_modules$/;

/** The executable, npx if it started us, the packed script if next to it, otherwise the runtime with our module. */
export function runningProgram(facts: ProgramFacts): RunningProgram {
  const { mainModule, executable, exists } = facts;
  if (programForm(facts) === "executable") return { command: executable, args: [], environment: {} };
  const path = modulePath(mainModule);
  const [, modules] = IN_PACKAGE.exec(path) ?? [];
  if (modules !== undefined && OF_NPX.test(modules)) {
    return { command: "npx", args: ["-y", `ahma_mcp@${VERSION}`], environment: {} };
  }
  const script = path.replace(/\.mjs$/, "");
  if (script !== path && exists(script)) {
    // The script of the package finds its own runtime.
    return { command: script, args: [], environment: modules === undefined ? { AHMA_DENO: executable } : {} };
  }
  return { command: executable, args: ["run", ...RUN_FLAGS, path], environment: {} };
}

/** The packed program needs nothing that is not in it. */
const PACKED_FLAGS: readonly string[] = ["--no-config", "--no-lock", "--no-remote", "--no-npm", "--cached-only"];

/**
 * The engine optimizes functions on the thread that runs them: on others it keeps some 25 MiB for it under load. It
 * collects old objects when two fifths are added. It keeps compiled code between starts for one set of these options: all
 * processes have the same.
 */
const ENGINE = `--no-concurrent-recompilation,--heap-growing-percent=40,${GIVES_BACK}`;

/** Young objects of a server get 2 MiB instead of 16: with 16 calls in flight it has 80 MiB at most, not 158 (N3). */
export const SERVER_HEAP = `--v8-flags=--max-semi-space-size=2,${ENGINE}`;

/**
 * There may be many of it, mostly idle: young objects get 1 MiB instead of the 16 that a busy start makes them grow to.
 * That saves 7 MB of each, and costs neither its start nor a flood of output anything that could be measured (N5).
 */
export const SMALL_HEAP = `--v8-flags=--min-semi-space-size=1,--max-semi-space-size=1,${ENGINE}`;

/**
 * How this program starts itself again: by the same runtime, without a shell in between. Not for people. An executable
 * gives a child server the small heap without a flag. `network`: it connects to servers at addresses.
 */
export function sessionProgram({ network }: { readonly network: boolean }): ProgramLine {
  const command = Deno.execPath();
  const form = thisForm();
  if (form === "executable") return { command, args: [] };
  const packed = form === "packed program" ? PACKED_FLAGS : [];
  return {
    command,
    args: ["run", SMALL_HEAP, ...RUN_FLAGS, ...network ? ["--allow-net"] : [], ...packed, programPath()],
  };
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

/**
 * The files of the installed program, for example in a project's node_modules; empty when run from its sources. In a
 * package, also the place of packages below it: the next start would take a runtime there before any other.
 */
export function programFiles(): readonly string[] {
  const form = thisForm();
  if (form === "executable") return [Deno.execPath()];
  const path = programPath();
  const [, modules] = IN_PACKAGE.exec(path) ?? [];
  const followed = modules === undefined ? [] : [`${modules}/ahma_mcp/node_modules`];
  return form === "packed program"
    ? [Deno.execPath(), path, path.replace(/\.mjs$/, ""), workerDirectory(), ...followed]
    : [];
}
