/**
 * A program between the start script and the runtime: it starts the runtime as its child and passes no signals on, as
 * npm's `deno` for Node does. The script resolves that one; behind any other a server must not live on without a
 * parent.
 */
import { LazyLibrary } from "../system/c_library.ts";
import type { QuietSignal } from "./signals.ts";

/** The process id of the start script, which is its runtime's where nothing stands between. */
const SCRIPT_PID = "AHMA_SCRIPT_PID";

const SIGUSR2 = 12n;
const PR_SET_PDEATHSIG = 1;

/** Takes what the script said out of the variables; the process id of what stands between, undefined: nothing does. */
export function takeWrapper(environment: Record<string, string>): number | undefined {
  const { [SCRIPT_PID]: text } = environment;
  if (text === undefined) return undefined;
  delete environment[SCRIPT_PID];
  Deno.env.delete(SCRIPT_PID);
  return Number(text) === Deno.pid ? undefined : Number(text);
}

/**
 * What `tieToParent` has the kernel send. It comes at the end of the parent's thread as well, and counts only when the
 * parent is another one by then.
 */
export function parentEnd(): QuietSignal {
  const parent = Deno.ppid;
  return { signal: "SIGUSR2", counts: () => Deno.ppid !== parent };
}

/** Asks the kernel for a signal at the end of the parent, on Linux only. False: the parent has ended already. */
export function tieToParent(wrapper: number): boolean {
  if (Deno.build.os !== "linux") return true;
  using library = new LazyLibrary({ prctl: { parameters: ["i32", "u64"], result: "i32" } });
  library.symbols.prctl(PR_SET_PDEATHSIG, SIGUSR2);
  return wrapper === 1 || Deno.ppid !== 1;
}
