/**
 * What a command sees of the file system, with namespaces: everything outside the writable trees read-only, protected
 * paths in them read-only too (S8), places of credentials covered (S7), an own /proc and an own /dev/shm.
 */
import { isWithin } from "../paths.ts";
import type { GuardedPath, PinnedDirectory } from "../policy.ts";
import { comparePlace, type IdentityDraft, openPlace, sameDirectoryStep } from "./identity_steps.ts";
import { REPORT_FD } from "./interpreter.ts";

const AT_FDCWD = -100;
const AT_EMPTY_PATH = 0x1000;
const AT_RECURSIVE = 0x8000;
const O_CLOEXEC = 0x80000;
const MS_BIND = 0x1000;
const MS_PRIVATE_REC = 0x44000;
const MS_NOSUID_NODEV = 0x6;
const MS_NOSUID_NODEV_NOEXEC = 0xe;
const MOUNT_ATTR_RDONLY = 1n;
const MOUNT_ATTR_NODEV = 4n;
const OPEN_TREE_CLONE = 1;
/** MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH: descriptors name both, whatever lies at their paths by then. */
const BY_DESCRIPTORS = 0x44;
/**
 * The place to mount on, and what covers it. Several entries name each, so their numbers are known before: the lowest
 * that are free, once everything below the report descriptor is closed.
 */
const PLACE_FD = 3;
const COVER_FD = 4;
const CLOSE_STEP = "close what was opened to mount";
/** Kernels count it as memory of whoever fills it. Docker gives 64 MiB, which browsers and Python outgrow. */
const SHARED_MEMORY_BYTES = 512 * 1024 ** 2;

/** The step by name, for those who go on without it. */
export const SHARED_MEMORY_STEP = "mount an own /dev/shm";

/**
 * Everything outside the writable trees becomes read-only: this stops chmod, utime and xattr, which Landlock does not.
 * The writable ones are set aside before and put back after: each mount in them keeps the flags it had. Device nodes
 * that lie there (a tree of another system, say) lead root to the machine's disks, so none can be opened.
 *
 * What is set aside and what it is put back on are compared, each by the very descriptor that is used (S20). A tree in
 * another one is put back on its place in that one, and so cannot be renamed in it.
 */
export function mountReadOnly(draft: IdentityDraft, writable: readonly PinnedDirectory[]): void {
  const { table, sys } = draft;
  const root = table.text("/");
  table.call("keep mounts private", sys.mount, [0, root, 0, MS_PRIVATE_REC, 0]);
  closeOpened(draft);
  const numbers = new DescriptorNumbers();
  const outerFirst = writable.toSorted((one, other) => one.path.length - other.path.length);
  const set = outerFirst.map((pinned) => ({ pinned, tree: setAside(draft, pinned, numbers) }));
  const readOnly = table.words(MOUNT_ATTR_RDONLY, 0, 0, 0);
  table.call("make all mounts read-only", sys.mount_setattr, [AT_FDCWD, root, AT_RECURSIVE, readOnly, 32]);
  for (const { pinned, tree } of set) putBack(draft, { pinned, tree, place: numbers.take() });
  closeOpened(draft);
  if (numbers.passedReports) table.call(CLOSE_STEP, sys.close_range, [REPORT_FD + 1, 0xffffffff, 0]);
}

/** Leaves a copy of the tree's mounts on a descriptor; returns its number. */
function setAside(draft: IdentityDraft, pinned: PinnedDirectory, numbers: DescriptorNumbers): number {
  const { table, sys } = draft;
  const { path } = pinned;
  const empty = table.text("");
  const place = numbers.take();
  const step = `set "${path}" aside`;
  openPlace(draft, path, { step, directory: true, expect: place });
  comparePlace(draft, place, pinned, sameDirectoryStep(path));
  const tree = numbers.take();
  const flags = OPEN_TREE_CLONE | AT_RECURSIVE | O_CLOEXEC | AT_EMPTY_PATH;
  table.call(step, sys.open_tree, [place, empty, flags], { mode: "equals", expect: tree });
  if (!isWithin("/dev", path)) {
    const attributes = [tree, empty, AT_EMPTY_PATH | AT_RECURSIVE, table.words(MOUNT_ATTR_NODEV, 0, 0, 0), 32];
    table.call(`close devices in "${path}"`, sys.mount_setattr, attributes);
  }
  return tree;
}

interface SetAside {
  readonly pinned: PinnedDirectory;
  /** The descriptor of the copy. */
  readonly tree: number;
  /** The number that the descriptor of its place will have. */
  readonly place: number;
}

function putBack(draft: IdentityDraft, { pinned, tree, place }: SetAside): void {
  const { table, sys } = draft;
  const { path } = pinned;
  const empty = table.text("");
  const step = `put "${path}" back`;
  openPlace(draft, path, { step, directory: true, expect: place });
  comparePlace(draft, place, pinned, sameDirectoryStep(path));
  table.call(step, sys.move_mount, [tree, empty, place, empty, BY_DESCRIPTORS]);
}

/** The numbers of descriptors that are opened one after the other: the lowest that are free. */
class DescriptorNumbers {
  #next = PLACE_FD;

  /** Whether numbers beyond the report descriptor were taken. */
  get passedReports(): boolean {
    return this.#next > REPORT_FD;
  }

  /** The number of the next one. */
  take(): number {
    if (this.#next === REPORT_FD) this.#next++;
    return this.#next++;
  }
}

/**
 * Covers each path. It is opened once, compared with what the server saw, and what is mounted there is that very file:
 * no name is looked up twice, so a command that runs at the same time and exchanges files for links leads nothing
 * astray. A path that changed since is fatal: the server looks again for the next command.
 */
export function guardPaths(draft: IdentityDraft, guarded: readonly GuardedPath[]): void {
  const { table, sys } = draft;
  if (guarded.length === 0) return;
  const empty = table.text("");
  const readOnly = table.words(MOUNT_ATTR_RDONLY, 0, 0, 0);
  const cloned = OPEN_TREE_CLONE | O_CLOEXEC | AT_EMPTY_PATH;
  closeOpened(draft);
  for (const one of guarded) {
    const { path, cover, treatment } = one;
    const step = `protect "${path}"`;
    openPlace(draft, path, { step: `open "${path}" to protect it`, expect: PLACE_FD });
    comparePlace(draft, PLACE_FD, one, `${step}, which just changed; the next command is safe again`);
    const isItself = cover === path;
    if (!isItself) openPlace(draft, cover, { step: `open "${cover}"`, expect: COVER_FD });
    const source = isItself ? [PLACE_FD, empty, cloned | AT_RECURSIVE] : [COVER_FD, empty, cloned];
    const tree = isItself ? COVER_FD : COVER_FD + 1;
    table.call(step, sys.open_tree, source, { mode: "equals", expect: tree });
    if (treatment !== "pin") {
      table.call(step, sys.mount_setattr, [tree, empty, AT_EMPTY_PATH | AT_RECURSIVE, readOnly, 32]);
    }
    table.call(step, sys.move_mount, [tree, empty, PLACE_FD, empty, BY_DESCRIPTORS]);
    closeOpened(draft);
  }
}

function closeOpened({ table, sys }: IdentityDraft): void {
  table.call(CLOSE_STEP, sys.close_range, [PLACE_FD, REPORT_FD - 1, 0]);
}

/**
 * Programs share memory by files in /dev/shm; the host's are everybody's. `limit`: of one process's memory in bytes,
 * which does not count these files, so they have no more room together; undefined: none.
 */
export function mountSharedMemory({ table, sys }: IdentityDraft, limit: number | undefined): void {
  const type = table.text("tmpfs");
  const place = table.text("/dev/shm");
  const options = table.text(`mode=1777,size=${Math.min(limit ?? Infinity, SHARED_MEMORY_BYTES)}`);
  table.call(SHARED_MEMORY_STEP, sys.mount, [type, place, type, MS_NOSUID_NODEV, options]);
}

/** Shows the processes of the own PID namespace only. */
export function mountProc(draft: IdentityDraft, options: { readonly hideKernelFiles: boolean }): void {
  const { table, sys } = draft;
  const proc = table.text("proc");
  table.call("mount an own /proc", sys.mount, [proc, table.text("/proc"), proc, MS_NOSUID_NODEV_NOEXEC, 0]);
  if (options.hideKernelFiles) hideKernelFiles(draft);
}

/** Root could read the kernel's memory and log in an own /proc too, so these become empty. */
function hideKernelFiles({ table, sys }: IdentityDraft): void {
  const nothing = table.text("/dev/null");
  for (const name of ["kcore", "kmsg", "keys", "kallsyms", "timer_list", "sched_debug"]) {
    // Not every kernel has each of them.
    table.call(`hide "/proc/${name}"`, sys.mount, [nothing, table.text(`/proc/${name}`), 0, MS_BIND, 0], {
      mode: "soft",
    });
  }
}
