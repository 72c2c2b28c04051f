/**
 * Mounts that cannot be the machine's. Where a system refuses namespaces to root, a mount of the positive control would
 * be one that all processes see; a table has no branches, so the call that mounts is made to fail until those before it
 * have succeeded: its options lie where nothing can be read, and the 0 of their success takes that address's place.
 */
import type { TableWord } from "../launcher/image/table.ts";
import { type AttackDraft, attempt, passOn } from "./attack.ts";

const CLONE_NEWNS = 0x20000;
const MNT_DETACH = 2;
const MS_PRIVATE_REC = 0x44000;
/** In the first page, which is never there: mount(2) fails with EFAULT before it looks at anything else. */
const NOWHERE = 1;
/** Which argument of mount(2) its options are. */
const OPTIONS = 4;

/** Source, place, type and flags of a mount. */
export type MountWords = readonly [TableWord, TableWord, TableWord, TableWord];

/**
 * From here on mounts are the process's own where the kernel allows it; elsewhere nothing happens. `flags`: further
 * namespaces to enter (CLONE_NEW*). Gives the entry that succeeds, with 0, only when no mount can reach the machine.
 */
export function enterOwnMounts(draft: Omit<AttackDraft, "target">, flags: number): number {
  const { table, sys } = draft;
  const entered = attempt(draft, sys.unshare, [CLONE_NEWNS | flags]);
  const apart = attempt(draft, sys.mount, [0, table.text("/"), 0, MS_PRIVATE_REC, NOWHERE]);
  passOn(draft, entered, apart, OPTIONS);
  return apart;
}

/**
 * The attack by mounting. The control's is made in a mount namespace of its own or not at all; that of an attack is
 * made whatever holds it, and taken away again should nothing.
 */
export function mountSomething(draft: AttackDraft, words: MountWords): number {
  const { role, sys } = draft;
  if (role === "control") {
    const apart = enterOwnMounts(draft, 0);
    const mounted = attempt(draft, sys.mount, [...words, NOWHERE]);
    passOn(draft, apart, mounted, OPTIONS);
    return mounted;
  }
  const mounted = attempt(draft, sys.mount, [...words, 0]);
  attempt(draft, sys.umount2, [words[1], MNT_DETACH]);
  return mounted;
}
