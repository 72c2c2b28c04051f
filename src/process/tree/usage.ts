/** Memory and processor time of the processes of a command, as the kernel tells (proc(5)). */
import type { ProcessUsage } from "../../base/command/running_command.ts";

/** What is needed of the system; undefined: the process is gone, or closed to this user. */
export interface UsageSystem {
  /** The line `stat` of a process. */
  statOf(pid: number): string | undefined;
  /** The lines `status` of a process. */
  memoryOf(pid: number): string | undefined;
}

/** One tick of the kernel's USER_HZ clock, milliseconds: the same on every Linux. */
const TICK_MS = 10;
/** `utime`, `stime`, and both of the children that were waited for, counted from the state of the process. */
const TIMES = [11, 12, 13, 14] as const;

/** The sum over `pids`; those that are gone count nothing. */
export function usageOf(pids: readonly number[], system: UsageSystem): ProcessUsage {
  let [processes, memoryBytes, processorMs] = [0, 0, 0];
  for (const pid of pids) {
    const stat = system.statOf(pid);
    if (stat === undefined) continue;
    // A name may hold anything, also parentheses and spaces.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    processes++;
    processorMs += TIMES.reduce((sum, at) => sum + Number(fields[at] ?? 0), 0) * TICK_MS;
    memoryBytes += Number(/^VmRSS:\s*(\d+) kB/m.exec(system.memoryOf(pid) ?? "")?.[1] ?? 0) * 1024;
  }
  return { processes, memoryBytes, processorMs };
}
