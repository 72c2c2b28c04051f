/** Whether a machine, or the container it gives us, has memory for a process that may never be used. */
import type { Libc } from "../../system/libc.ts";

/** Ten times what such a process takes, and more: where there is less, memory is wanted elsewhere. */
const LEAST_BYTES = 768 * 1024 * 1024;

/** What limits memory. */
export interface MemoryFacts {
  /** Bytes that the system could give. */
  readonly available: number;
  /** Of the control group: `memory.max` and `memory.current` as they stand there; undefined: there is no such file. */
  readonly limit: string | undefined;
  readonly used: string | undefined;
}

/** Pure. */
export function hasMemoryToSpare({ available, limit, used }: MemoryFacts): boolean {
  // "max", the word for none, is no number either.
  const most = Number.parseInt(limit ?? "");
  const left = Number.isFinite(most) ? most - (Number.parseInt(used ?? "") || 0) : Infinity;
  return Math.min(available, left) >= LEAST_BYTES;
}

/** What the kernel says now. */
export function memoryFacts(libc: Pick<Libc, "readProc">): MemoryFacts {
  const group = /^0::(\/.*)$/m.exec(libc.readProc("/proc/self/cgroup") ?? "")?.[1] ?? "/";
  const directory = `/sys/fs/cgroup${group === "/" ? "" : group}`;
  return {
    available: Deno.systemMemoryInfo().available,
    limit: libc.readProc(`${directory}/memory.max`),
    used: libc.readProc(`${directory}/memory.current`),
  };
}
