/**
 * Opens what a policy names, and compares it with what the server saw (S20). A command can exchange directories on the
 * way, so each descriptor that is used is compared itself, and no link is followed to it.
 */
import type { PinnedDirectory } from "../../policy/policy.ts";
import { AT_EMPTY_PATH, AT_FDCWD, O_CLOEXEC, O_PATH, O_WRONLY, type SystemCalls } from "../../../system/syscalls.ts";
import type { Table, TableWord } from "../image/table.ts";

const RESOLVE_NO_SYMLINKS = 4;
/** `struct open_how`: flags, mode, resolve. */
const OPEN_HOW_BYTES = 24;
const STAT_BYTES = 256;

/** What these steps work with. */
export interface Draft {
  readonly table: Table;
  readonly sys: SystemCalls;
  readonly open: { readonly noFollow: number; readonly directory: number };
}

/** How a place is opened. */
export interface PlaceOptions {
  readonly step: string;
  /** True: anything but a directory fails. */
  readonly directory?: boolean;
  /** The descriptor it must become; absent: any. */
  readonly expect?: number;
  /** Whether the launch continues if nothing exists there. */
  readonly mode?: "fatal" | "soft";
}

/** Opens the place alone, not its content; a link anywhere on the way fails. Returns the entry. */
export function openPlace({ table, sys, open }: Draft, path: string, options: PlaceOptions): number {
  const { step, directory = false, expect, mode = "fatal" } = options;
  const flags = O_PATH | O_CLOEXEC | open.noFollow | (directory ? open.directory : 0);
  const how = table.words(flags, 0, RESOLVE_NO_SYMLINKS);
  const args = [AT_FDCWD, table.path(path), how, OPEN_HOW_BYTES];
  return table.call(step, sys.openat2, args, expect === undefined ? { mode } : { mode: "equals", expect });
}

/** Compares what `descriptor` is with what was pinned; anything else is fatal. `step` says so to a person. */
export function comparePlace(
  { table, sys }: Draft,
  descriptor: TableWord,
  pinned: PinnedDirectory,
  step: string,
): void {
  const stat = table.bytes(new Uint8Array(STAT_BYTES));
  table.call(`look at "${pinned.path}"`, sys.newfstatat, [descriptor, table.text(""), stat, AT_EMPTY_PATH]);
  // struct stat begins with st_dev and st_ino on both processors.
  table.call(step, 0, [stat], { mode: "compare", expect: pinned.device });
  table.call(step, 0, [{ kind: "data", offset: stat.offset + 8 }], { mode: "compare", expect: pinned.inode });
}

/** How a replaced writable tree is reported. */
export function sameDirectoryStep(path: string): string {
  return `see that "${path}" is still the same directory`;
}

/** What is written, and whether the launch continues if it cannot be. */
export interface WrittenText {
  readonly path: string;
  readonly text: string;
  readonly mode: "fatal" | "soft";
}

/** Writes to a file of /proc. The descriptor stays open until the exec, or until the waiting process closes all. */
export function writeText({ table, sys }: Draft, step: string, { path, text, mode }: WrittenText): void {
  const open = table.call(step, sys.openat, [AT_FDCWD, table.text(path), O_WRONLY | O_CLOEXEC, 0], { mode });
  const write = table.call(step, sys.write, [-1, table.text(text), text.length], { mode });
  table.passOn(open, write);
}
