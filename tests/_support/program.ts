import { SERVER_RUN_FLAGS } from "../../scripts/permissions.ts";
import { type TestRuntime, testRuntime } from "./runtime.ts";
import { ORDINARY_ID, type Workbench } from "./workbench.ts";

/** A command line and environment that start the program for a bench. */
export interface ProgramStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * How to start the program as the bench's user, packed or as the executable. `prefix`: a command line before ours.
 * @throws Error with the remedy when the program is not packed.
 */
export function programStart(
  bench: Workbench,
  flags: readonly string[],
  prefix: readonly string[] = [],
  permissions: readonly string[] = [],
): ProgramStart {
  const other = bench.user === "ordinary" && Deno.uid() === 0;
  const runtime = testRuntime(bench.user);
  const program = runtime.executable === undefined
    ? [runtime.deno, "run", ...SERVER_RUN_FLAGS, ...permissions, runtime.bundle]
    : [runtime.executable];
  const line = [...prefix, ...program, ...flags];
  const words = other
    ? ["setpriv", `--reuid=${ORDINARY_ID}`, `--regid=${ORDINARY_ID}`, "--clear-groups", ...line]
    : line;
  const [command = "", ...args] = [...bench.machine, ...words];
  return { command, args, environment: environmentFor(bench, runtime) };
}

function environmentFor(bench: Workbench, runtime: TestRuntime): Readonly<Record<string, string>> {
  const folder = runtime.deno.slice(0, runtime.deno.lastIndexOf("/"));
  const system = "/usr/local/bin:/usr/bin:/bin";
  const other = bench.user === "ordinary" && Deno.uid() === 0;
  return {
    PATH: other ? `${folder}:${system}` : Deno.env.get("PATH") ?? system,
    HOME: bench.home,
    DENO_DIR: runtime.cache,
    LANG: "C.UTF-8",
    NO_COLOR: "1",
    DENO_NO_UPDATE_CHECK: "1",
  };
}
