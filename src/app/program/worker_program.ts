/** How this program starts its workers: the same runtime, another first module (K2). */
import { UserError } from "../../base/errors.ts";
import { realPath } from "../../system/paths.ts";
import { thisForm, workerDirectory } from "./own_program.ts";

export interface WorkerProgram {
  readonly argv: readonly string[];
  /** Files it is read from, canonical. */
  readonly reads: readonly string[];
  /** Holds its data. */
  readonly data: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** All that the runtime may, because the kernel confines it; the heap is bounded. */
const WORKER_FLAGS: readonly string[] = [
  "--allow-all",
  "--no-prompt",
  "--no-config",
  "--no-lock",
  "--no-remote",
  "--no-npm",
  "--cached-only",
  "--v8-flags=--max-old-space-size=512",
];

/** The command line of a worker. @throws {UserError} When its program is not installed. */
export function workerProgram(): WorkerProgram {
  const runtime = realPath(Deno.execPath()) ?? Deno.execPath();
  const directory = workerDirectory();
  const real = realPath(directory);
  if (real === undefined) {
    const way = thisForm() === "sources" ? '; "deno task bundle" makes it' : "; install the program again";
    throw new UserError(`Cannot start native tools: "${directory}" is missing${way}`);
  }
  return {
    argv: [runtime, "run", ...WORKER_FLAGS, `${real}/worker.mjs`],
    reads: [runtime, real],
    data: real,
    environment: { DENO_NO_UPDATE_CHECK: "1", DENO_DIR: "/proc/no-cache", NO_COLOR: "1" },
  };
}
