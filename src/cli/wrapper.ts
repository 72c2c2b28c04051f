/**
 * Detects a program between the start script and the runtime that starts the runtime as its child and passes no signals
 * on, as npm's `deno` for Node does. The script resolves that one; behind any other, the server ends with its parent.
 */
import { LazyLibrary } from "../system/c_library.ts";
import type { QuietSignal } from "./signals.ts";

/** Variable with the process id of the start script, which is that of the runtime where nothing runs between. */
const SCRIPT_PID = "AHMA_SCRIPT_PID";

const SIGUSR2 = 12n;
const PR_SET_PDEATHSIG = 1;

/** Removes the script's variable; gives the process id of the program between, undefined: there is none. */
export function takeWrapper(environment: Record<string, string>): number | undefined {
  const { [SCRIPT_PID]: text } = environment;
  if (text === undefined) return undefined;
  delete environment[SCRIPT_PID];
  Deno.env.delete(SCRIPT_PID);
  return Number(text) === Deno.pid ? undefined : Number(text);
}

/** The signal of `tieToParent`. The end of the parent's thread sends it too; it counts with another parent. */
export function parentEnd(): QuietSignal {
  const parent = Deno.ppid;
  return { signal: "SIGUSR2", counts: () => Deno.ppid !== parent };
}

/** Asks the kernel for a signal at the end of the parent, on Linux only. False: the parent has ended already. */
export function tieToParent(wrapper: number): boolean {
  if (Deno.build.os !== "linux") return true;
  const library = new LazyLibrary(["prctl"]);
  try {
    library.symbols.prctl(PR_SET_PDEATHSIG, SIGUSR2);
  } finally {
    library[Symbol.dispose]();
  }
  return wrapper === 1 || Deno.ppid !== 1;
}
