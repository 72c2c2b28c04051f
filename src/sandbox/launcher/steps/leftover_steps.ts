/**
 * What a command could leave for the next one in its sandbox, apart from processes: files in /dev/shm, and the objects
 * of its IPC namespace. A sandbox in which anything of it is left takes no further command.
 */
import type { SandboxPolicy } from "../../policy/policy.ts";
import { kept } from "../image/branches.ts";
import type { Draft } from "./identity_steps.ts";
import type { ServeDraft } from "./serve_steps.ts";
import { AT_EMPTY_PATH, AT_FDCWD, O_CLOEXEC, type Processor } from "../../../system/syscalls.ts";

/** Directories that the first process holds open, to look into after each command. */
export const TERMINALS_FD = 58;
export const SHARED_MEMORY_FD = 59;
export const QUEUES_FD = 60;

const FSOPEN_CLOEXEC = 1;
const FSMOUNT_CLOEXEC = 1;
const FSCONFIG_CMD_CREATE = 6;
/** What getdents64(2) gives for "." and "..", and after them for "ptmx". */
const EMPTY_DIRECTORY_BYTES = 48;
const NO_TERMINALS_BYTES = 72;
const ENTRIES_BYTES = 512;
const STAT_BYTES = 256;
/** A directory that all may write to, with the sticky bit, as it was mounted. */
const SHARED_MEMORY_MODE = 0o41777;
/** Of a file system of pseudo-terminals and its device, as `mountTerminals` makes them. */
const TERMINALS_MODE = 0o40755;
const TERMINALS_DEVICE_MODE = 0o20666;
/** Where `struct stat` has mode, user and group (asm/stat.h). */
const STAT_FIELDS: Readonly<Record<Processor, Readonly<Record<"mode" | "uid" | "gid", number>>>> = {
  x86_64: { mode: 24, uid: 28, gid: 32 },
  aarch64: { mode: 16, uid: 24, gid: 28 },
};
const SHM_INFO = 14;
const SEM_INFO = 19;
const MSG_INFO = 12;
const INFO_BYTES = 128;
/** The same for both processors (ioctl_iflags(2)). */
const FS_IOC_GETFLAGS = 0x8008_6601;

/** The questions about leftovers. */
export interface LeftoverQuestion {
  readonly policy: Pick<SandboxPolicy, "sharedMemory" | "terminals" | "user">;
  readonly processor: Processor;
  readonly made: MadeSandbox;
}

/** Entries whose results say how a sandbox was made. */
export interface MadeSandbox {
  /** Bytes of the list of attributes of /dev/shm: a security module may have set some. */
  readonly attributes: number;
}

/** Opens what is inspected later; must run while the capabilities are still there. */
export function openLeftovers(
  { table, sys, open }: Draft,
  { policy }: Pick<LeftoverQuestion, "policy">,
): void {
  const flags = O_CLOEXEC | open.directory;
  // Without a name in the sandbox: the queues are those of the IPC namespace. A kernel without them has none to show,
  // and the look fails.
  const soft = { mode: "soft" } as const;
  const step = "look for message queues";
  const context = table.call(step, sys.fsopen, [table.text("mqueue"), FSOPEN_CLOEXEC], soft);
  table.passOn(context, table.call(step, sys.dup3, [-1, QUEUES_FD, O_CLOEXEC], soft));
  table.call(step, sys.fsconfig, [QUEUES_FD, FSCONFIG_CMD_CREATE, 0, 0, 0], soft);
  const mounted = table.call(step, sys.fsmount, [QUEUES_FD, FSMOUNT_CLOEXEC, 0], soft);
  const directory = table.call(step, sys.openat, [-1, table.text("."), flags, 0], soft);
  table.passOn(mounted, directory);
  table.passOn(directory, table.call(step, sys.dup3, [-1, QUEUES_FD, O_CLOEXEC], soft));
  for (const { path, descriptor } of directories(policy)) {
    const opened = table.call(`look into "${path}"`, sys.openat, [AT_FDCWD, table.text(path), flags, 0]);
    table.passOn(opened, table.call(`keep "${path}" open`, sys.dup3, [0, descriptor, O_CLOEXEC]));
  }
}

/** Sees how the sandbox was made; comes once, before the first command. */
export function seeMade({ table, sys }: Draft): MadeSandbox {
  return { attributes: table.call("list attributes", sys.flistxattr, [SHARED_MEMORY_FD, 0, 0], { mode: "keep" }) };
}

function directories({ sharedMemory, terminals }: LeftoverQuestion["policy"]) {
  const all = [];
  if (sharedMemory === true) all.push({ path: "/dev/shm", descriptor: SHARED_MEMORY_FD });
  if (terminals === true) all.push({ path: "/dev/pts", descriptor: TERMINALS_FD });
  return all;
}

/** Jumps to `dirty` if anything is left. */
export function findLeftovers(draft: ServeDraft, dirty: string, { policy, processor, made }: LeftoverQuestion): void {
  const { sys } = draft;
  findEntries(draft, dirty, { descriptor: QUEUES_FD, bytes: EMPTY_DIRECTORY_BYTES });
  findObjects(draft, dirty, { number: sys.shmctl, args: [0, SHM_INFO], used: 0 });
  findObjects(draft, dirty, { number: sys.msgctl, args: [0, MSG_INFO], used: 0 });
  findObjects(draft, dirty, { number: sys.semctl, args: [0, 0, SEM_INFO], used: 28 });
  if (policy.sharedMemory === true) {
    const descriptor = SHARED_MEMORY_FD;
    findEntries(draft, dirty, { descriptor, bytes: EMPTY_DIRECTORY_BYTES });
    findAttributes(draft, dirty, { descriptor, made });
    findFlags(draft, dirty, descriptor);
    findChange(draft, dirty, { descriptor, name: "", fields: { mode: SHARED_MEMORY_MODE, ...policy.user }, processor });
  }
  if (policy.terminals !== true) return;
  const descriptor = TERMINALS_FD;
  // Only root's commands may keep the capability to give files to others.
  const owner = policy.user.uid === 0 ? policy.user : {};
  findEntries(draft, dirty, { descriptor, bytes: NO_TERMINALS_BYTES });
  findChange(draft, dirty, { descriptor, name: "", fields: { mode: TERMINALS_MODE, ...owner }, processor });
  findChange(draft, dirty, { descriptor, name: "ptmx", fields: { mode: TERMINALS_DEVICE_MODE, ...owner }, processor });
}

/** A file in a directory held open, or (no name) the directory itself, and its original state. */
interface MadeFile {
  readonly descriptor: number;
  readonly name: string;
  readonly fields: Readonly<Partial<Record<"mode" | "uid" | "gid", number>>>;
  readonly processor: Processor;
}

function findChange(draft: ServeDraft, dirty: string, { descriptor, name, fields, processor }: MadeFile): void {
  const { table, sys } = draft;
  const stat = table.bytes(new Uint8Array(STAT_BYTES));
  const flags = name === "" ? AT_EMPTY_PATH : 0;
  table.call("see what was changed", sys.newfstatat, [descriptor, table.text(name), stat, flags]);
  for (const field of ["mode", "uid", "gid"] as const) {
    if (fields[field] === undefined) continue;
    const word = { kind: "data", offset: stat.offset + STAT_FIELDS[processor][field] } as const;
    draft.branches.jump(dirty, { word, isNot: fields[field] });
  }
}

/** Rules for new files are among the attributes of a directory, of which there were none but a security module's. */
function findAttributes(
  draft: ServeDraft,
  dirty: string,
  { descriptor, made }: { readonly descriptor: number; readonly made: MadeSandbox },
): void {
  const bytes = kept(draft, "list attributes", draft.sys.flistxattr, [descriptor, 0, 0]);
  const entry = draft.branches.jump(dirty, { word: bytes, isNot: 0 });
  draft.table.send(made.attributes, { kind: "expected", entry });
}

/** New files inherit them. A kernel that has none there (before 6.0) says none. */
function findFlags({ table, sys, branches }: ServeDraft, dirty: string, descriptor: number): void {
  const flags = table.words(0);
  table.call("list flags", sys.ioctl, [descriptor, FS_IOC_GETFLAGS, flags], { mode: "soft" });
  branches.jump(dirty, { word: flags, isNot: 0 });
}

/** Of a directory held open. */
function findEntries(
  draft: ServeDraft,
  dirty: string,
  { descriptor, bytes }: { readonly descriptor: number; readonly bytes: number },
): void {
  const { table, sys, branches } = draft;
  table.call("begin at the first entry", sys.lseek, [descriptor, 0, 0], { mode: "soft" });
  const buffer = table.bytes(new Uint8Array(ENTRIES_BYTES));
  const listed = kept(draft, "list what is left", sys.getdents64, [descriptor, buffer, ENTRIES_BYTES]);
  branches.jump(dirty, { word: listed, isNot: bytes });
}

/** A question about all objects of a kind, and where in its answer their number stands. */
interface ObjectQuestion {
  readonly number: number;
  readonly args: readonly number[];
  readonly used: number;
}

/** The answer's own value is the highest index in use. */
function findObjects(
  draft: ServeDraft,
  dirty: string,
  { number, args, used }: ObjectQuestion,
): void {
  const answer = draft.table.bytes(new Uint8Array(INFO_BYTES));
  const highest = kept(draft, "count what is left", number, [...args, answer]);
  draft.branches.jump(dirty, { word: highest, isNot: 0 });
  draft.branches.jump(dirty, { word: { kind: "data", offset: answer.offset + used }, isNot: 0 });
}
