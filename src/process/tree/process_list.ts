/** Every process of the machine as ps(1) tells it: for systems without /proc. */

/** One process. */
export interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** It has ended, and its parent has not asked how. */
  readonly dead: boolean;
  /** When it started: an id that is used again belongs to another time. */
  readonly started: string;
}

/** What ps is asked: the form that macOS, BSD and Linux understand. */
export const PS_ARGUMENTS = ["-axo", "pid=,ppid=,pgid=,stat=,lstart="] as const;

/** The processes in the output of ps; other lines are skipped. */
export function parseProcessList(text: string): readonly ListedProcess[] {
  return text.split("\n").flatMap((line) => {
    const [, pid, parent, group, state = "", started = ""] =
      /^(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S.*)$/.exec(line.trim()) ?? [];
    if (pid === undefined) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), dead: state.startsWith("Z"), started }];
  });
}

/** What lives of the process group `group`, of `known` (processes seen before), and of all their descendants. */
export function familyOf(
  group: number,
  known: readonly ListedProcess[],
  processes: readonly ListedProcess[],
): readonly ListedProcess[] {
  const found = new Set(processes.filter((one) => {
    return one.group === group || known.some(({ pid, started }) => pid === one.pid && started === one.started);
  }));
  // A set hands out what is added while it is walked.
  for (const { pid } of found) {
    for (const one of processes) if (one.parent === pid) found.add(one);
  }
  return [...found].filter(({ dead }) => !dead);
}
