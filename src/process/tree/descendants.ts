/** Kills all below a child subreaper, which orphans belong to, where there are no PID namespaces. */
import type { Libc } from "../../system/libc.ts";

/** Rounds without a pause: only an immediate next listing outruns a process that forks and ends. */
const ROUNDS = 200;

const NONE: ReadonlySet<number> = new Set();

/** What is needed of the system. */
export interface ProcessTree {
  /** Children of all threads of a process, zombies included. */
  childrenOf(pid: number): readonly number[];
  /** Sends a signal; does nothing when the process is gone. */
  signal(pid: number, signal: Deno.Signal): void;
}

/**
 * One attempt to kill all below `root`: stopped processes do not fork, so all are stopped, round by round, and then
 * killed. Zombies are too, whose threads may run. `spared` are left alone.
 */
export function killDescendants(root: number, tree: ProcessTree, spared: ReadonlySet<number> = NONE): void {
  const known = new Set<number>();
  for (let round = 0; round < ROUNDS; round++) {
    const fresh = descendantsOf(root, tree, spared).filter((pid) => !known.has(pid));
    if (fresh.length === 0) break;
    for (const pid of fresh) {
      known.add(pid);
      tree.signal(pid, "SIGSTOP");
    }
  }
  // A second listing: the id of a process that has gone may belong to another one by now.
  for (const pid of descendantsOf(root, tree, spared)) tree.signal(pid, "SIGKILL");
}

/** All descendants of `root` now, parents first, except those `spared` and what is below them. */
export function descendantsOf(
  root: number,
  tree: Pick<ProcessTree, "childrenOf">,
  spared: ReadonlySet<number> = NONE,
): readonly number[] {
  const found = new Set<number>();
  const queue = [root];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    for (const child of tree.childrenOf(next)) {
      if (child === root || found.has(child) || spared.has(child)) continue;
      found.add(child);
      queue.push(child);
    }
  }
  return [...found];
}

/** The processes of this system. */
export function systemTree(libc: Libc): ProcessTree {
  return {
    childrenOf: (pid) => libc.childrenOf(pid),
    signal: signalQuietly,
  };
}

/** Sends a signal to a process, or to a group (negative), which may be gone in the meantime or another user's. */
export function signalQuietly(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(pid, signal);
  } catch (error) {
    const { NotFound, PermissionDenied } = Deno.errors; // macOS denies it of a group that is all dead
    if (!(error instanceof NotFound || error instanceof PermissionDenied || error instanceof TypeError)) throw error;
  }
}
