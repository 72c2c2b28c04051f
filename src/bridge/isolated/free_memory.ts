/** Decides whether the machine, or our container, has memory for a spare process that may never be used. */
import type { Libc } from "../../system/libc.ts";

/** The least free memory for a spare process; more than ten times what it takes. */
const LEAST_BYTES = 768 * 1024 * 1024;

/** Limits of memory. */
export interface MemoryFacts {
  /** Bytes available in the system. */
  readonly available: number;
  /** Texts of `memory.max` and `memory.current` of the control group; undefined: there is no such file. */
  readonly limit: string | undefined;
  readonly used: string | undefined;
}

/** Whether there is enough memory. Pure. */
export function hasMemoryToSpare({ available, limit, used }: MemoryFacts): boolean {
  // "max" means no limit, and is no number.
  const most = Number.parseInt(limit ?? "");
  const left = Number.isFinite(most) ? most - (Number.parseInt(used ?? "") || 0) : Infinity;
  return Math.min(available, left) >= LEAST_BYTES;
}

/** The limits as the kernel reports them now. */
export function memoryFacts(libc: Pick<Libc, "readProc">): MemoryFacts {
  const group = /^0::(\/.*)$/m.exec(libc.readProc("/proc/self/cgroup") ?? "")?.[1] ?? "/";
  const directory = `/sys/fs/cgroup${group === "/" ? "" : group}`;
  return {
    available: Deno.systemMemoryInfo().available,
    limit: libc.readProc(`${directory}/memory.max`),
    used: libc.readProc(`${directory}/memory.current`),
  };
}
