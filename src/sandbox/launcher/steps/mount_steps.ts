/**
 * What a command sees of the file system, with namespaces: everything outside the writable trees read-only, protected
 * paths in them read-only too (S8), places of credentials covered (S7), an own /proc and an own /dev/shm.
 */
import { isWithin } from "../../../system/paths.ts";
import type { SandboxPolicy } from "../../policy/policy.ts";
import {
  CLOSE_STEP,
  copyMounts,
  MOUNT_ATTR_NODEV,
  MOUNT_ATTR_RDONLY,
  mountOn,
  OPEN_TREE_CLONE,
  openPinned,
} from "./copied_mounts.ts";
import { type DescriptorNumbers, FIRST_FD } from "../image/descriptor_numbers.ts";
import { comparePlace, type Draft, openPlace } from "./identity_steps.ts";
import { REPORT_FD } from "../image/interpreter.ts";
import { isPreviewed, makeView } from "./preview_steps.ts";
import { enterRoot } from "./root_steps.ts";
import { type MountedPolicy, outerFirst, TemporarySteps } from "./temporary_steps.ts";
import { AT_EMPTY_PATH, AT_FDCWD, AT_RECURSIVE, O_CLOEXEC } from "../../../system/syscalls.ts";

const MS_BIND = 0x1000;
const MS_PRIVATE_REC = 0x44000;
const MS_NOSUID_NODEV = 0x6;
const MS_NOSUID_NODEV_NOEXEC = 0xe;
/**
 * The place to mount on, and what covers it. Several entries name each, so their numbers are known before: the lowest
 * that are free, once everything below the report descriptor is closed.
 */
const PLACE_FD = FIRST_FD;
const COVER_FD = 4;
/** Kernels count it as memory of the process that fills it. Docker gives 64 MiB, which is too little for browsers and Python. */
const SHARED_MEMORY_BYTES = 512 * 1024 ** 2;

/** The step by name, for callers that continue without it. */
export const SHARED_MEMORY_STEP = "mount an own /dev/shm";

/**
 * Everything outside the writable trees is invisible (root_steps.ts) or read-only, which stops chmod, utime and xattr
 * too. Writable ones are set aside and put back with their flags, compared by the descriptors used (S20). Device nodes
 * there cannot be opened: they lead root to disks. A tree in another is put back in it, and so cannot be renamed.
 */
export function mountReadOnly(draft: Draft, policy: MountedPolicy): void {
  const { table, sys } = draft;
  const root = table.text("/");
  table.call("keep mounts private", sys.mount, [0, root, 0, MS_PRIVATE_REC, 0]);
  closeOpened(draft);
  const temporary = new TemporarySteps(draft, policy);
  const { numbers } = temporary;
  const trees = outerFirst(policy.writable).map((pinned) => {
    const place = openPinned(draft, pinned, `set "${pinned.path}" aside`, numbers);
    if (pinned.path === policy.temporary?.tree.path) temporary.setAside(place);
    const previewed = policy.previewed?.find(({ path }) => path === pinned.path);
    const tree = previewed === undefined
      ? copyTree(draft, place, pinned.path, numbers)
      : makeView(draft, { place, previewed }, numbers);
    return { path: pinned.path, at: temporary.pointOf(pinned), tree };
  });
  const set = outerFirst([...trees, ...temporary.readables()]);
  if (policy.root === undefined) {
    const readOnly = table.words(MOUNT_ATTR_RDONLY, 0, 0, 0);
    table.call("make all mounts read-only", sys.mount_setattr, [AT_FDCWD, root, AT_RECURSIVE, readOnly, 32]);
  } else enterRoot(draft, policy.root, numbers);
  temporary.mount();
  for (const one of set) {
    const step = `put "${one.path}" back`;
    mountOn(draft, { tree: one.tree, place: openPinned(draft, one.at, step, numbers), step });
  }
  closeOpened(draft);
  if (numbers.passedReports) table.call(CLOSE_STEP, sys.close_range, [REPORT_FD + 1, 0xffffffff, 0]);
}

/** Leaves a copy of a writable tree's mounts on a descriptor; returns its number. */
function copyTree(draft: Draft, place: number, path: string, numbers: DescriptorNumbers): number {
  const attributes = isWithin("/dev", path) ? 0n : MOUNT_ATTR_NODEV;
  return copyMounts(draft, { place, path, attributes, step: `set "${path}" aside` }, numbers);
}

/**
 * Covers each path: opened once, compared with what the server saw, and that very file is mounted on. No name is looked
 * up twice. A path that changed since is fatal: the server looks again.
 */
export function guardPaths(
  draft: Draft,
  { guarded = [], previewed }: Pick<SandboxPolicy, "guarded" | "previewed">,
): void {
  const { table, sys } = draft;
  if (guarded.length === 0) return;
  const empty = table.text("");
  const readOnly = table.words(MOUNT_ATTR_RDONLY, 0, 0, 0);
  const writable = table.words(0, MOUNT_ATTR_RDONLY, 0, 0);
  const cloned = OPEN_TREE_CLONE | O_CLOEXEC | AT_EMPTY_PATH;
  closeOpened(draft);
  for (const one of guarded) {
    const { path, cover, treatment } = one;
    const step = `protect "${path}"`;
    openPlace(draft, path, { step: `open "${path}" to protect it`, expect: PLACE_FD });
    if (!isPreviewed({ previewed }, path)) comparePlace(draft, PLACE_FD, one, justChanged(step));
    const isItself = cover === path;
    if (!isItself) openPlace(draft, cover, { step: `open "${cover}"`, expect: COVER_FD });
    const source = isItself ? [PLACE_FD, empty, cloned | AT_RECURSIVE] : [COVER_FD, empty, cloned];
    const tree = isItself ? COVER_FD : COVER_FD + 1;
    table.call(step, sys.open_tree, source, { mode: "equals", expect: tree });
    if (treatment === "writable") {
      // What is mounted in it keeps its flags; where the kernel insists on read-only, so does the whole.
      table.call(step, sys.mount_setattr, [tree, empty, AT_EMPTY_PATH, writable, 32], { mode: "soft" });
    } else if (treatment !== "pin") {
      table.call(step, sys.mount_setattr, [tree, empty, AT_EMPTY_PATH | AT_RECURSIVE, readOnly, 32]);
    }
    mountOn(draft, { tree, place: PLACE_FD, step });
    closeOpened(draft);
  }
}

/** Compares what a view will show, which has identities of its own, before there is one. */
export function comparePreviewed(
  draft: Draft,
  { guarded = [], previewed }: Pick<SandboxPolicy, "guarded" | "previewed">,
): void {
  if (previewed === undefined) return;
  closeOpened(draft);
  for (const one of guarded.filter(({ path }) => isPreviewed({ previewed }, path))) {
    const { path } = one;
    openPlace(draft, path, { step: `open "${path}" to protect it`, expect: PLACE_FD });
    comparePlace(draft, PLACE_FD, one, justChanged(`protect "${path}"`));
    closeOpened(draft);
  }
}

function justChanged(step: string): string {
  return `${step}, which just changed; the next command is safe again`;
}

function closeOpened({ table, sys }: Draft): void {
  table.call(CLOSE_STEP, sys.close_range, [PLACE_FD, REPORT_FD - 1, 0]);
}

/**
 * Programs share memory by files in /dev/shm; the host's are shared by all users. `limit`: of one process's memory in
 * bytes, which does not count these files, so they have no more room together; undefined: none.
 */
export function mountSharedMemory({ table, sys }: Draft, limit: number | undefined): void {
  const type = table.text("tmpfs");
  const place = table.text("/dev/shm");
  const options = table.text(`mode=1777,size=${Math.min(limit ?? Infinity, SHARED_MEMORY_BYTES)}`);
  table.call(SHARED_MEMORY_STEP, sys.mount, [type, place, type, MS_NOSUID_NODEV, options]);
}

/** Shows the processes of the own PID namespace only. */
export function mountProc(draft: Draft, options: { readonly hideKernelFiles: boolean }): void {
  const { table, sys } = draft;
  const proc = table.text("proc");
  table.call("mount an own /proc", sys.mount, [proc, table.text("/proc"), proc, MS_NOSUID_NODEV_NOEXEC, 0]);
  if (options.hideKernelFiles) hideKernelFiles(draft);
}

/**
 * Closes it to all changes, once nothing more is written there. Files that are not of a process have one mode and owner in
 * every /proc of the machine, and root owns them.
 */
export function closeProc(draft: Draft): void {
  const { table, sys } = draft;
  closeOpened(draft); // no file in it is open for writing
  const readOnly = table.words(MOUNT_ATTR_RDONLY, 0, 0, 0);
  table.call("make /proc read-only", sys.mount_setattr, [AT_FDCWD, table.text("/proc"), 0, readOnly, 32]);
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
