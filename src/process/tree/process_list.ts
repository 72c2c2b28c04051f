/** Every process of the machine as ps(1) tells it: for systems without /proc. */

/** One process. */
export interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** It has ended, and its parent has not waited for it. */
  readonly dead: boolean;
  /** When it started, to tell a reused id apart. */
  readonly started: string;
}

/** The arguments of ps, in the form that macOS, BSD and Linux understand. */
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

/** The living processes of the group `group`, of `known` (processes seen before), and all their descendants. */
export function familyOf(
  group: number,
  known: readonly ListedProcess[],
  processes: readonly ListedProcess[],
): readonly ListedProcess[] {
  const found = new Set(processes.filter((one) => {
    return one.group === group || known.some(({ pid, started }) => pid === one.pid && started === one.started);
  }));
  // Iterating a set includes what is added meanwhile.
  for (const { pid } of found) {
    for (const one of processes) if (one.parent === pid) found.add(one);
  }
  return [...found].filter(({ dead }) => !dead);
}
