/**
 * A control group of a launch's own: the launcher is started in the group's directory, so that one image serves all.
 * With `clone3` the tree is born in the group; moving a process there makes the kernel wait for all processors.
 */
import type { SandboxPolicy } from "../policy/policy.ts";
import { type Draft, writeText } from "./steps/identity_steps.ts";
import { REPORT_FD } from "./image/interpreter.ts";
import { AT_FDCWD, CHILD_UNTIL_EXEC, O_CLOEXEC, O_PATH, SIGCHLD } from "../../system/syscalls.ts";

/** The step by name: a table that has it is started in the directory of a group. */
export const GROUP_STEP = "enter its control group";

const CLONE_INTO_CGROUP = 0x2_0000_0000n;
/** `struct clone_args`: eleven words, the last is the descriptor of the group. */
const CLONE_ARGS_BYTES = 88;
/** The bits of `clone`'s flags that hold the signal number. */
const SIGNAL_BITS = 0xff;
/** The launcher writes nothing to its stderr, and the mounts use and close all numbers from 3 on. */
const GROUP_FD = 2;

/** The tree is born in its group, or the launcher is moved there with all that follows. */
export type GroupWay = "born" | "moved";

/** Without namespaces the filter of system calls binds the process that forks; a file for stderr has the number of the group. */
export function groupOf(
  policy: SandboxPolicy | undefined,
  { entersGroup, stderrFile }: { readonly entersGroup?: true; readonly stderrFile?: string },
): GroupWay | undefined {
  if (entersGroup !== true) return undefined;
  return stderrFile === undefined && (policy === undefined || policy.namespaces) ? "born" : "moved";
}

/** Adds steps of the launcher, which is in the group's directory; undefined: it is in none. */
export function takeGroup(draft: Draft, way: GroupWay | undefined): void {
  if (way === "born") holdGroup(draft);
  if (way === "moved") enterGroup(draft);
}

/** Keeps the group for the fork: the directory is out of reach after the change of root. */
function holdGroup(draft: Draft): void {
  const { table, sys, open: { directory } } = draft;
  const group = table.call(GROUP_STEP, sys.openat, [AT_FDCWD, table.text("."), O_PATH | O_CLOEXEC | directory, 0]);
  table.passOn(group, table.call(GROUP_STEP, sys.dup3, [0, GROUP_FD, O_CLOEXEC]));
  leaveDirectory(draft);
}

/** Forks; the child stands in the group that is held. */
export function forkIntoGroup({ table, sys }: Draft, mode: "fork" | "forkAll"): void {
  const flags = BigInt((mode === "fork" ? SIGCHLD : CHILD_UNTIL_EXEC) & ~SIGNAL_BITS) | CLONE_INTO_CGROUP;
  const args = table.words(flags, 0, 0, 0, SIGCHLD, 0, 0, 0, 0, 0, GROUP_FD);
  table.call(GROUP_STEP, sys.clone3, [args, CLONE_ARGS_BYTES], { mode });
  table.call("join stderr to stdout", sys.dup3, [1, GROUP_FD, 0]);
}

/** Moves the calling process, where it cannot hold the group, or the filter of system calls keeps `clone3` from it. */
function enterGroup(draft: Draft): void {
  writeText(draft, GROUP_STEP, { path: "cgroup.procs", text: "0", mode: "fatal" });
  leaveDirectory(draft);
}

function leaveDirectory({ table, sys }: Draft): void {
  table.call("leave the directory of its control group", sys.chdir, [table.text("/")]);
  table.call("close what was opened for its control group", sys.close_range, [3, REPORT_FD - 1, 0]);
}
