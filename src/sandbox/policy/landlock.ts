/** Landlock's rights by ABI (include/uapi/linux/landlock.h): what is handled, and what a path is granted. */
import type { SandboxPolicy } from "./policy.ts";

/** LANDLOCK_ACCESS_FS_* */
export const FS = {
  execute: 1 << 0,
  writeFile: 1 << 1,
  readFile: 1 << 2,
  readDir: 1 << 3,
  removeDir: 1 << 4,
  removeFile: 1 << 5,
  makeChar: 1 << 6,
  makeDir: 1 << 7,
  makeReg: 1 << 8,
  makeSock: 1 << 9,
  makeFifo: 1 << 10,
  makeBlock: 1 << 11,
  makeSym: 1 << 12,
  refer: 1 << 13,
  truncate: 1 << 14,
  ioctlDev: 1 << 15,
  resolveUnix: 1 << 16,
} as const;

/** A rule on anything but a directory may carry only these; the kernel answers EINVAL to others. */
const FILE_RIGHTS = FS.execute | FS.writeFile | FS.readFile | FS.truncate | FS.ioctlDev | FS.resolveUnix;

/** First ABI with the right at each index; rights not listed came with ABI 1. */
const LADDER: readonly { readonly abi: number; readonly right: number; readonly without: string }[] = [
  { abi: 2, right: FS.refer, without: "files cannot be moved or linked between directories" },
  { abi: 3, right: FS.truncate, without: "files outside the scope can be truncated" },
  { abi: 5, right: FS.ioctlDev, without: "ioctl on device files is not restricted" },
  { abi: 9, right: FS.resolveUnix, without: "pathname Unix sockets outside the scope can be connected to" },
];

/** LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | LANDLOCK_SCOPE_SIGNAL, since ABI 6. */
const SCOPES = 3;
export const SCOPES_ABI = 6;

/** Everything the kernel can restrict, so that what no rule grants is denied. `abi` 1 or more. */
export function handledRights(abi: number): number {
  return LADDER.filter((step) => step.abi > abi).reduce((mask, step) => mask & ~step.right, 0x1ffff);
}

/** The scopes to ask for; 0 where the kernel has none. */
export function scopesOf(abi: number): number {
  return abi >= SCOPES_ABI ? SCOPES : 0;
}

/** LANDLOCK_ACCESS_NET_BIND_TCP | LANDLOCK_ACCESS_NET_CONNECT_TCP, since ABI 4. */
const TCP = 3;
const TCP_ABI = 4;

/** TCP rights to handle, so that none is granted: under `--network none`, behind the other layers that deny it. */
export function handledNetwork({ abi, confinement }: Pick<SandboxPolicy, "abi" | "confinement">): number {
  return confinement.network === "none" && abi >= TCP_ABI ? TCP : 0;
}

/** Bytes of `struct landlock_ruleset_attr` this kernel knows: fs; fs and net; fs, net and scopes. */
export function rulesetAttributeBytes(abi: number): number {
  return abi >= SCOPES_ABI ? 24 : abi >= TCP_ABI ? 16 : 8;
}

/** One sentence for each protection this kernel lacks; empty when it has all this program uses. */
export function missingProtections(abi: number): readonly string[] {
  const missing = LADDER.filter((step) => step.abi > abi && step.abi !== 9).map((step) => step.without);
  return abi >= SCOPES_ABI ? missing : [
    ...missing,
    "signals to processes outside and abstract Unix sockets are not restricted",
  ];
}

/** Rights of a writable tree: all but making device nodes (mknod(2)), and connecting to sockets made inside. */
export const WRITABLE_TREE = 0x1ffff & ~(FS.makeChar | FS.makeBlock);

/** Rights of a readable tree of programs and libraries. */
export const READABLE_TREE = FS.execute | FS.readFile | FS.readDir;

/** Rights of a readable tree that holds no programs. */
export const DATA_TREE = FS.readFile | FS.readDir;

/** Rights of `/dev/shm`: files only, as `shm_open` makes them. */
export const SHARED_MEMORY = FS.writeFile | FS.readFile | FS.readDir | FS.removeFile | FS.makeReg | FS.truncate;

/** Rights of `/dev/null` and its like. */
export const WRITABLE_DEVICE = FS.writeFile | FS.readFile | FS.ioctlDev;

/** `rights` reduced to what this kernel knows and this kind of file can carry. */
export function grantable(rights: number, abi: number, kind: "directory" | "file"): number {
  return rights & handledRights(abi) & (kind === "directory" ? 0x1ffff : FILE_RIGHTS);
}
