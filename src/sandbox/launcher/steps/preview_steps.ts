/** A copy-on-write view of a writable tree (S40): overlayfs, as an ordinary user may mount it (Linux 5.11). */
import { isWithin } from "../../../system/paths.ts";
import type { PreviewedTree, SandboxPolicy } from "../../policy/policy.ts";
import type { DescriptorNumbers } from "../image/descriptor_numbers.ts";
import { MOUNT_ATTR_NODEV, openPinned } from "./copied_mounts.ts";
import type { Draft } from "./identity_steps.ts";

const FSOPEN_CLOEXEC = 1;
const FSMOUNT_CLOEXEC = 1;
const FSCONFIG_SET_FLAG = 0;
const FSCONFIG_SET_STRING = 1;
const FSCONFIG_CMD_CREATE = 6;

/** The step by its first words, so that a refusal can be explained. */
export const VIEW_STEP = "make a copy-on-write view of";

/** Whether a path is seen through a view. */
export function isPreviewed({ previewed }: Pick<SandboxPolicy, "previewed">, path: string): boolean {
  return previewed?.some((tree) => isWithin(path, tree.path)) === true;
}

/**
 * Leaves the view on a descriptor, its number. Layers are compared descriptors. `userxattr` keeps overlayfs from
 * redirects and copies without content; without `volatile` first changes wait for the disk.
 */
export function makeView(
  draft: Draft,
  { place, previewed }: { readonly place: number; readonly previewed: PreviewedTree },
  numbers: DescriptorNumbers,
): number {
  const { table, sys } = draft;
  const step = `${VIEW_STEP} "${previewed.path}"`;
  const upper = openPinned(draft, previewed.upper, step, numbers);
  const work = openPinned(draft, previewed.work, step, numbers);
  const view = numbers.take();
  table.call(step, sys.fsopen, [table.text("overlay"), FSOPEN_CLOEXEC], { mode: "equals", expect: view });
  for (const flag of ["userxattr", "volatile"]) {
    table.call(step, sys.fsconfig, [view, FSCONFIG_SET_FLAG, table.text(flag), 0, 0]);
  }
  const layers = { lowerdir: place, upperdir: upper, workdir: work };
  const paths = Object.entries(layers).map(([key, layer]) => [key, `/proc/self/fd/${layer}`] as const);
  // What kernels are built with differs.
  for (const [key, value] of [["index", "off"], ...paths] as const) {
    table.call(step, sys.fsconfig, [view, FSCONFIG_SET_STRING, table.text(key), table.text(value), 0]);
  }
  table.call(step, sys.fsconfig, [view, FSCONFIG_CMD_CREATE, 0, 0, 0]);
  const tree = numbers.take();
  table.call(step, sys.fsmount, [view, FSMOUNT_CLOEXEC, MOUNT_ATTR_NODEV], { mode: "equals", expect: tree });
  return tree;
}
