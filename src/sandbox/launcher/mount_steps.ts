/**
 * What a command sees of the file system, with namespaces: everything outside the writable trees read-only, protected
 * paths in them read-only too (S8), places of credentials covered (S7), an own /proc and an own /dev/shm.
 */
import { isWithin } from "../paths.ts";
import type { GuardedPath, PinnedDirectory } from "../policy.ts";
import { REPORT_FD } from "./interpreter.ts";
import type { SystemCalls } from "./syscalls.ts";
import type { Table } from "./table.ts";

const AT_FDCWD = -100;
const AT_EMPTY_PATH = 0x1000;
const AT_RECURSIVE = 0x8000;
const O_CLOEXEC = 0x80000;
const O_PATH = 0x200000;
const MS_BIND = 0x1000;
const MS_PRIVATE_REC = 0x44000;
const MS_NOSUID_NODEV = 0x6;
const MS_NOSUID_NODEV_NOEXEC = 0xe;
const MOUNT_ATTR_RDONLY = 1n;
const MOUNT_ATTR_NODEV = 4n;
const MOVE_MOUNT_F_EMPTY_PATH = 4;
const MOVE_MOUNT_T_EMPTY_PATH = 0x40;
const OPEN_TREE_CLONE = 1;
/**
 * The place to mount on, and what is mounted there. Several entries name each, so their numbers are known before: the
 * lowest that are free, once everything below the report descriptor is closed.
 */
const PLACE_FD = 3;
const TREE_FD = 4;
/** Kernels count it as memory of whoever fills it. Docker gives 64 MiB, which browsers and Python outgrow. */
const SHARED_MEMORY_OPTIONS = "mode=1777,size=512m";

/** The step by name, for those who go on without it. */
export const SHARED_MEMORY_STEP = "mount an own /dev/shm";

/** What the steps of a table work with. */
interface Draft {
  readonly table: Table;
  readonly sys: SystemCalls;
  readonly open: { readonly noFollow: number };
}

/**
 * Everything outside the writable trees becomes read-only: this stops chmod, utime and xattr, which Landlock does not.
 * The writable ones are set aside before and put back after: each mount in them keeps the flags it had. Device nodes
 * that lie there (a tree of another system, say) lead root to the machine's disks, so none can be opened.
 */
export function mountReadOnly({ table, sys }: Draft, writable: readonly PinnedDirectory[]): void {
  const root = table.text("/");
  const empty = table.text("");
  table.call("keep mounts private", sys.mount, [0, root, 0, MS_PRIVATE_REC, 0]);
  const set = writable.map(({ path }) => {
    const text = table.text(path);
    const flags = OPEN_TREE_CLONE | AT_RECURSIVE | O_CLOEXEC;
    return { path, text, tree: table.call(`set "${path}" aside`, sys.open_tree, [AT_FDCWD, text, flags]) };
  });
  const readOnly = table.words(MOUNT_ATTR_RDONLY, 0, 0, 0);
  const noDevices = table.words(MOUNT_ATTR_NODEV, 0, 0, 0);
  table.call("make all mounts read-only", sys.mount_setattr, [AT_FDCWD, root, AT_RECURSIVE, readOnly, 32]);
  for (const { path, text, tree } of set) {
    const move = table.call(`put "${path}" back`, sys.move_mount, [0, empty, AT_FDCWD, text, MOVE_MOUNT_F_EMPTY_PATH]);
    table.send(tree, { kind: "argument", entry: move, index: 0 });
    if (!isWithin("/dev", path)) {
      table.call(`close devices in "${path}"`, sys.mount_setattr, [AT_FDCWD, text, AT_RECURSIVE, noDevices, 32]);
    }
  }
}

/**
 * Covers each path. It is opened once, compared with what the server saw, and what is mounted there is that very file:
 * no name is looked up twice, so a command that runs at the same time and exchanges files for links leads nothing
 * astray. A path that changed since is fatal: the server looks again for the next command.
 */
export function guardPaths(draft: Draft, guarded: readonly GuardedPath[]): void {
  const { table, sys } = draft;
  if (guarded.length === 0) return;
  const empty = table.text("");
  const readOnly = table.words(MOUNT_ATTR_RDONLY, 0, 0, 0);
  const flags = OPEN_TREE_CLONE | O_CLOEXEC;
  const isTree = { mode: "equals", expect: TREE_FD } as const;
  closeOpened(draft);
  for (const one of guarded) {
    const { path, cover, treatment } = one;
    openGuarded(draft, one);
    if (cover === path) {
      const whole = flags | AT_EMPTY_PATH | AT_RECURSIVE;
      table.call(`protect "${path}"`, sys.open_tree, [PLACE_FD, empty, whole], isTree);
    } else table.call(`open "${cover}"`, sys.open_tree, [AT_FDCWD, table.text(cover), flags], isTree);
    if (treatment !== "pin") {
      const attributes = [TREE_FD, empty, AT_EMPTY_PATH | AT_RECURSIVE, readOnly, 32];
      table.call(`protect "${path}"`, sys.mount_setattr, attributes);
    }
    const both = MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH;
    table.call(`protect "${path}"`, sys.move_mount, [TREE_FD, empty, PLACE_FD, empty, both]);
    closeOpened(draft);
  }
}

function closeOpened({ table, sys }: Draft): void {
  table.call("close what was opened to protect paths", sys.close_range, [PLACE_FD, REPORT_FD - 1, 0]);
}

/** Leaves the path, which must be what the server saw, on `PLACE_FD`. */
function openGuarded({ table, sys, open }: Draft, { path, device, inode }: GuardedPath): void {
  const flags = O_PATH | O_CLOEXEC | open.noFollow;
  table.call(`open "${path}" to protect it`, sys.openat, [AT_FDCWD, table.text(path), flags, 0], {
    mode: "equals",
    expect: PLACE_FD,
  });
  const stat = table.bytes(new Uint8Array(256));
  table.call(`look at "${path}"`, sys.newfstatat, [PLACE_FD, table.text(""), stat, AT_EMPTY_PATH]);
  // struct stat begins with st_dev and st_ino on both processors.
  const identity = `protect "${path}", which just changed; the next command is safe again`;
  table.call(identity, 0, [stat], { mode: "compare", expect: device });
  table.call(identity, 0, [{ kind: "data", offset: stat.offset + 8 }], { mode: "compare", expect: inode });
}

/** Programs share memory by files in /dev/shm; the host's are everybody's. */
export function mountSharedMemory({ table, sys }: Draft): void {
  const type = table.text("tmpfs");
  const place = table.text("/dev/shm");
  const options = table.text(SHARED_MEMORY_OPTIONS);
  table.call(SHARED_MEMORY_STEP, sys.mount, [type, place, type, MS_NOSUID_NODEV, options]);
}

/** Shows the processes of the own PID namespace only. */
export function mountProc(draft: Draft, options: { readonly hideKernelFiles: boolean }): void {
  const { table, sys } = draft;
  const proc = table.text("proc");
  table.call("mount an own /proc", sys.mount, [proc, table.text("/proc"), proc, MS_NOSUID_NODEV_NOEXEC, 0]);
  if (options.hideKernelFiles) hideKernelFiles(draft);
}

/** Root could read the kernel's memory and log in an own /proc too, so these become empty. */
function hideKernelFiles({ table, sys }: Draft): void {
  const nothing = table.text("/dev/null");
  for (const name of ["kcore", "kmsg", "keys", "kallsyms", "timer_list", "sched_debug"]) {
    // Not every kernel has each of them.
    table.call(`hide "/proc/${name}"`, sys.mount, [nothing, table.text(`/proc/${name}`), 0, MS_BIND, 0], {
      mode: "soft",
    });
  }
}
