/**
 * Without PID namespaces: ends every process below another. The root must be a child subreaper, so that whatever loses
 * its parent becomes its child: then nothing is ever outside the tree that is walked here.
 */
import type { Libc } from "../../system/libc.ts";

/** Rounds without a pause: a process that forks and ends at once is outrun only by somebody who looks again at once. */
const ROUNDS = 200;

/** What is needed of the system. */
export interface ProcessTree {
  /** Children of all threads of a process, zombies included. */
  childrenOf(pid: number): readonly number[];
  /** Sends a signal; does nothing when the process is gone. */
  signal(pid: number, signal: "SIGSTOP" | "SIGKILL"): void;
}

/**
 * One hunt below `root`, which itself is spared. First everything that is found is stopped, because what stands still
 * forks no more; when a round finds nobody new, all are killed. Also a process whose main thread has ended is among
 * them: it is listed as dead while its other threads run. The caller hunts again until the root has ended.
 */
export function killDescendants(root: number, tree: ProcessTree): void {
  const known = new Set<number>();
  for (let round = 0; round < ROUNDS; round++) {
    const fresh = descendantsOf(root, tree).filter((pid) => !known.has(pid));
    if (fresh.length === 0) break;
    for (const pid of fresh) {
      known.add(pid);
      tree.signal(pid, "SIGSTOP");
    }
  }
  // Looked at once more: an id of one that has gone may be somebody else's by now.
  for (const pid of descendantsOf(root, tree)) tree.signal(pid, "SIGKILL");
}

/** All descendants of `root` at this moment, parents before children. */
export function descendantsOf(root: number, tree: Pick<ProcessTree, "childrenOf">): readonly number[] {
  const found = new Set<number>();
  const queue = [root];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    for (const child of tree.childrenOf(next)) {
      if (child === root || found.has(child)) continue;
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
    signal(pid, signal) {
      try {
        Deno.kill(pid, signal);
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    },
  };
}
