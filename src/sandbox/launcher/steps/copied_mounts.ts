/** Copies of mounts, made from and put on descriptors that were opened and compared before (S20). */
import type { PinnedDirectory } from "../../policy/policy.ts";
import type { DescriptorNumbers } from "../image/descriptor_numbers.ts";
import { comparePlace, type Draft, openPlace, sameDirectoryStep } from "./identity_steps.ts";
import { AT_EMPTY_PATH, AT_RECURSIVE, O_CLOEXEC } from "../../../system/syscalls.ts";

export const OPEN_TREE_CLONE = 1;
/** MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH: descriptors name both, so their paths no longer matter. */
const BY_DESCRIPTORS = 0x44;

/** MOVE_MOUNT_F_EMPTY_PATH: a descriptor names what is mounted, a path where. */
export const FROM_DESCRIPTOR = 4;

export const CLOSE_STEP = "close what was opened to mount";

/** Flags of `mount_setattr`. */
export const MOUNT_ATTR_RDONLY = 1n;
export const MOUNT_ATTR_NODEV = 4n;

/** Opens a directory or file that must be what was pinned; returns the descriptor's number. */
export function openPinned(
  draft: Draft,
  pinned: PinnedDirectory,
  step: string,
  numbers: Pick<DescriptorNumbers, "take">,
): number {
  const place = numbers.take();
  openPlace(draft, pinned.path, { step, expect: place });
  comparePlace(draft, place, pinned, sameDirectoryStep(pinned.path));
  return place;
}

export interface CopyOptions {
  /** A descriptor of what is copied, with all that is mounted in it. */
  readonly place: number;
  readonly path: string;
  /** Set on every mount of the copy. */
  readonly attributes: bigint;
  readonly step: string;
}

/** Leaves a copy of the mounts on a descriptor; returns its number. */
export function copyMounts(
  { table, sys }: Draft,
  { place, path, attributes, step }: CopyOptions,
  numbers: Pick<DescriptorNumbers, "take">,
): number {
  const empty = table.text("");
  const tree = numbers.take();
  const flags = OPEN_TREE_CLONE | AT_RECURSIVE | O_CLOEXEC | AT_EMPTY_PATH;
  table.call(step, sys.open_tree, [place, empty, flags], { mode: "equals", expect: tree });
  if (attributes !== 0n) {
    const words = [tree, empty, AT_EMPTY_PATH | AT_RECURSIVE, table.words(attributes, 0, 0, 0), 32];
    table.call(`close devices in "${path}"`, sys.mount_setattr, words);
  }
  return tree;
}

/** Mounts a copy on a place, both by descriptor. */
export function mountOn(
  { table, sys }: Draft,
  { tree, place, step }: { readonly tree: number; readonly place: number; readonly step: string },
): void {
  const empty = table.text("");
  table.call(step, sys.move_mount, [tree, empty, place, empty, BY_DESCRIPTORS]);
}
