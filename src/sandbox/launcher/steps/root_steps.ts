/**
 * A root of the command's own (S5, S8): a directory of the server's, in which what is granted is mounted at its own
 * path. The first process enters it before any mount. The machine's root stays below until an own /proc is mounted, and
 * is detached then.
 */
import type { OwnRoot } from "../../policy/policy.ts";
import {
  CLOSE_STEP,
  copyMounts,
  FROM_DESCRIPTOR,
  MOUNT_ATTR_NODEV,
  MOUNT_ATTR_RDONLY,
  mountOn,
  OPEN_TREE_CLONE,
  openPinned,
} from "./copied_mounts.ts";
import type { DescriptorNumbers } from "../image/descriptor_numbers.ts";
import { type Draft, openPlace } from "./identity_steps.ts";
import { AT_EMPTY_PATH, AT_RECURSIVE, O_CLOEXEC } from "../../../system/syscalls.ts";

const MNT_DETACH = 2;
const MS_NOSUID_NOEXEC = 0xa;
const NO_DESCRIPTOR = -1;

/** The steps by name, for callers that continue without them. */
export const ROOT_STEP = "give commands a root of their own";
export const TERMINALS_STEP = "mount pseudo-terminals of the command's own";

/** Makes the root, mounts what may be read, all of it read-only, and enters it. */
export function enterRoot(draft: Draft, root: OwnRoot, numbers: DescriptorNumbers): void {
  const { table, sys } = draft;
  const step = ROOT_STEP;
  const empty = table.text("");
  const setAll = (tree: number, attributes: bigint) =>
    table.call(step, sys.mount_setattr, [
      tree,
      empty,
      AT_EMPTY_PATH | AT_RECURSIVE,
      table.words(attributes, 0, 0, 0),
      32,
    ]);
  const place = openPinned(draft, root.tree, step, numbers);
  const own = copyMounts(draft, { place, path: "/", attributes: 0n, step }, numbers);
  mountOn(draft, { tree: own, place, step });
  const devices = numbers.take();
  table.call(step, sys.open_tree, [own, table.text("dev"), OPEN_TREE_CLONE | O_CLOEXEC], {
    mode: "equals",
    expect: devices,
  });
  for (const path of root.trees) show(draft, own, path);
  for (const { path, source } of root.instead ?? []) show(draft, own, path, source);
  setAll(own, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV);
  table.call(step, sys.move_mount, [devices, empty, own, table.text("dev"), FROM_DESCRIPTOR]);
  for (const path of root.devices) show(draft, own, path);
  setAll(devices, MOUNT_ATTR_RDONLY);
  for (const [first, last] of numbers.free) table.call(CLOSE_STEP, sys.close_range, [first, last, 0]);
  const here = table.text(".");
  table.call(step, sys.fchdir, [own]);
  table.call(step, sys.pivot_root, [here, here]);
}

/**
 * Mounts what is at `source`, absent: at `path`, at that path below the root. What is gone ends no launch, and neither
 * does a link that came on the way since, by a command of another server: an empty directory or file is seen.
 */
function show(draft: Draft, root: number, path: string, source = path): void {
  const { table, sys } = draft;
  const step = `show "${path}"`;
  const empty = table.text("");
  const opened = openPlace(draft, source, { step, mode: "soft" });
  const flags = OPEN_TREE_CLONE | AT_RECURSIVE | AT_EMPTY_PATH | O_CLOEXEC;
  const tree = table.call(step, sys.open_tree, [NO_DESCRIPTOR, empty, flags], { mode: "soft" });
  const mounted = table.call(
    step,
    sys.move_mount,
    [NO_DESCRIPTOR, empty, root, table.text(path.slice(1)), FROM_DESCRIPTOR],
    { mode: "soft" },
  );
  table.passOn(opened, tree);
  table.passOn(tree, mounted);
}

/** Detaches the machine's root, which is mounted over the own one. */
export function leaveMachineRoot({ table, sys }: Draft): void {
  table.call(ROOT_STEP, sys.umount2, [table.text("."), MNT_DETACH]);
}

/** Pseudo-terminals that no program outside shares, and that end with the sandbox. */
export function mountTerminals({ table, sys }: Draft): void {
  const type = table.text("devpts");
  const options = table.text("newinstance,mode=620,ptmxmode=666");
  table.call(TERMINALS_STEP, sys.mount, [type, table.text("/dev/pts"), type, MS_NOSUID_NOEXEC, options]);
}
