/** How this program starts its workers: the same runtime, another first module (K2). */
import { messageOf, UserError } from "../../base/errors.ts";
import { realPath } from "../../system/paths.ts";
import { readAttachment } from "./attachment.ts";
import { isPart } from "./program_parts.ts";
import { programPath, RUN_FLAGS, thisForm, workerDirectory } from "./own_program.ts";

export interface WorkerProgram {
  readonly argv: readonly string[];
  /** Command line of its helpers, in the same sandbox. */
  readonly helper: readonly string[];
  /** Files and directories that it is read from, canonical. */
  readonly reads: readonly string[];
  /** Holds its data. */
  readonly data: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** First word of a command line that makes the executable a worker; the second is the path of its first module. */
export const WORKER_MARK = "__worker";

/** As the program itself is run, with what the kernel then takes from it. */
const PROGRAM_ONLY: readonly string[] = ["--no-config", "--no-lock", "--no-remote", "--no-npm", "--cached-only"];
const WORKER_FLAGS: readonly string[] = [...RUN_FLAGS, "--allow-net", ...PROGRAM_ONLY];
/**
 * Bounds the heap of a worker; as a variable it reaches an executable too. Grammars are compiled once and not optimised:
 * that takes longer than they then save, in 1,600 files of one language too.
 */
export const WORKER_HEAP: readonly [name: string, value: string] = [
  "DENO_V8_FLAGS",
  "--max-old-space-size=512,--liftoff-only",
];

/** No compiled code is kept, because commands could change it; nothing is asked for on the network. */
const ENVIRONMENT = {
  DENO_NO_UPDATE_CHECK: "1",
  DENO_DIR: "/proc/no-cache",
  NO_COLOR: "1",
  ...Object.fromEntries([WORKER_HEAP]),
};

/**
 * The command line of a worker. An executable writes the files that it has attached to `directory`, which no command can
 * change.
 * @throws {UserError} When its program is not installed.
 */
export function workerProgram(directory: string): WorkerProgram {
  const runtime = realPath(Deno.execPath()) ?? Deno.execPath();
  const isExecutable = thisForm() === "executable";
  const data = isExecutable ? extracted(runtime, directory) : installed();
  const start = (module: string) => [
    runtime,
    ...isExecutable ? [WORKER_MARK] : ["run", ...WORKER_FLAGS],
    `${data}/${module}`,
  ];
  return {
    argv: start("worker.js"),
    helper: start("helper.js"),
    reads: [runtime, data],
    data,
    environment: ENVIRONMENT,
  };
}

/** The command line of a process for one script: no permission. @throws {UserError} As `workerProgram`. */
export function scriptProgram(directory: string): Pick<WorkerProgram, "argv" | "reads" | "environment"> {
  const { reads, data, environment } = workerProgram(directory);
  const runtime = realPath(Deno.execPath()) ?? Deno.execPath();
  const how = thisForm() === "executable" ? [WORKER_MARK] : ["run", "--no-prompt", ...PROGRAM_ONLY];
  return { argv: [runtime, ...how, `${data}/script.js`], reads, environment };
}

function installed(): string {
  const directory = workerDirectory();
  const real = realPath(directory);
  if (real !== undefined) return real;
  const way = thisForm() === "sources" ? '"deno task bundle" makes it' : "install the program again";
  throw new UserError(`Cannot start native tools: "${directory}" is missing; ${way}`);
}

function extracted(executable: string, directory: string): string {
  const files = Deno.build.standalone ? undefined : readAttachment(executable, (name) => !isPart(name));
  if (files === undefined) {
    throw new UserError(`Cannot start native tools: "${executable}" was made without them; the npm package has them`);
  }
  try {
    Deno.mkdirSync(directory, { recursive: true, mode: 0o755 });
    for (const { name, bytes } of files) Deno.writeFileSync(`${directory}/${name}`, bytes, { mode: 0o644 });
    return directory;
  } catch (thrown) {
    throw new UserError(`Cannot start native tools: ${messageOf(thrown)}`);
  }
}

/** Whether these words make this process a worker, which only loads its first module. */
export async function becomesWorker([mark, path]: readonly string[]): Promise<boolean> {
  if (mark !== WORKER_MARK || path === undefined || programPath() === path) return false;
  await import(`file://${path}`);
  return true;
}
