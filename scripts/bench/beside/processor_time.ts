/** Processor time of a tree of processes, as the kernel counts it: in steps of 10 ms. */

const TICKS_PER_MS = 0.1;

/** Milliseconds since their start. */
export interface ProcessorTime {
  /** Of the given processes themselves. */
  readonly servers: number;
  /** Of all that they started, what has ended included. */
  readonly children: number;
}

interface Seen {
  readonly parent: number;
  readonly own: number;
  /** Of children that have ended and were waited for. */
  readonly ended: number;
}

/** `servers`: process ids. */
export async function processorTime(servers: readonly number[]): Promise<ProcessorTime> {
  const { stdout } = await new Deno.Command("sh", { args: ["-c", "cat /proc/[0-9]*/stat 2>/dev/null; true"] }).output();
  const seen = new Map(new TextDecoder().decode(stdout).trim().split("\n").map(readStat));
  const isBelow = (pid: number): boolean => {
    const parent = seen.get(pid)?.parent ?? 0;
    return parent !== 0 && (servers.includes(parent) || isBelow(parent));
  };
  let [own, below] = [0, 0];
  for (const [pid, one] of seen) {
    if (servers.includes(pid)) {
      own += one.own;
      below += one.ended;
    } else if (isBelow(pid)) below += one.own + one.ended;
  }
  return { servers: own / TICKS_PER_MS, children: below / TICKS_PER_MS };
}

/** The fields after the name in parentheses, which may hold anything (proc_pid_stat(5)). */
function readStat(line: string): [number, Seen] {
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const at = (index: number) => Number(fields[index] ?? 0);
  return [Number.parseInt(line), { parent: at(1), own: at(11) + at(12), ended: at(13) + at(14) }];
}
