import type { SystemCalls } from "../../../system/syscalls.ts";
import type { Table, TableWord } from "../image/table.ts";

/** One mount that a table makes, as its descriptors tell. */
export interface ReadMount {
  /** The path that the place was opened by. */
  readonly at: string;
  /** `device:inode` that the place was compared with; absent: with nothing. */
  readonly compared?: string;
  /** The path that what is mounted was opened by. */
  readonly from: string;
  /** What that was compared with, where it is another descriptor than the place. */
  readonly fromCompared?: string;
}

interface Opened {
  readonly path: string;
  readonly identity: string[];
}

/** Follows the descriptors of a table from one call to the next, as the kernel does. */
export function interpretedMounts(table: Table, sys: SystemCalls): readonly ReadMount[] {
  const open = new Map<number, Opened>();
  const stats = new Map<number, Opened>();
  const mounts: ReadMount[] = [];
  /** What may be missing; where it is there, the next `dup3` takes it. */
  let soft: Opened | undefined;
  for (const { number, args, mode, expect } of table.entries) {
    const [first = 0, second = 0, third = 0] = args;
    if (mode === "compare") {
      stats.get(offsetOf(first))?.identity.push(String(expect));
      stats.get(offsetOf(first) - 8)?.identity.push(String(expect));
    } else if (number === sys.openat2) {
      const opened = { path: textAt(table, second), identity: [] };
      if (mode === "soft") soft = opened;
      else open.set(Number(expect), opened);
    } else if (number === sys.dup3) open.set(Number(second), soft ?? at(open, first));
    else if (number === sys.newfstatat) stats.set(offsetOf(third), at(open, first));
    else if (number === sys.open_tree) open.set(Number(expect), at(open, first));
    else if (number === sys.move_mount) mounts.push(mountOf(at(open, third), at(open, first)));
  }
  return mounts;
}

function mountOf(place: Opened, source: Opened): ReadMount {
  const compared = place.identity.join(":");
  const fromCompared = source.identity.join(":");
  return {
    ...compared !== "" && { compared },
    at: place.path,
    from: source.path,
    ...fromCompared !== "" && source !== place && { fromCompared },
  };
}

function at(open: ReadonlyMap<number, Opened>, word: TableWord): Opened {
  const found = open.get(Number(word));
  if (found === undefined) throw new Error(`Descriptor ${String(word)} was not opened`);
  return found;
}

function offsetOf(word: TableWord): number {
  return typeof word === "object" && word.kind === "data" ? word.offset : -1;
}

function textAt(table: Table, word: TableWord): string {
  const from = table.data().subarray(offsetOf(word));
  return new TextDecoder().decode(from.subarray(0, from.indexOf(0)));
}
