/**
 * System call numbers and constants of the kernel. system_calls.json holds each number of x86_64 first, then of aarch64
 * (linux/arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h).
 */
import NUMBERS from "./system_calls.json" with { type: "json" };

/** Not a system call: the kernel answers ENOSYS. In the table: this processor does not have the call. */
export const NO_CALL = -1;

/** The processors that the launcher supports. */
export type Processor = "x86_64" | "aarch64";

/** The processor of this machine. */
export const THIS_PROCESSOR: Processor = Deno.build.arch === "aarch64" ? "aarch64" : "x86_64";

export type SystemCall = keyof typeof NUMBERS;

export type SystemCalls = Readonly<Record<SystemCall, number>>;

function numbersAt(index: 0 | 1): SystemCalls {
  const entries = Object.entries(NUMBERS).map(([name, numbers]) => [name, numbers[index]]);
  return Object.fromEntries(entries) as SystemCalls; // the keys of a constant object
}

export const SYSTEM_CALLS: Readonly<Record<Processor, SystemCalls>> = { x86_64: numbersAt(0), aarch64: numbersAt(1) };

/** Flags of `openat` whose values differ by processor (asm-generic and arm64 fcntl.h). */
export const OPEN_FLAGS: Readonly<Record<Processor, { readonly noFollow: number; readonly directory: number }>> = {
  x86_64: { noFollow: 0x20000, directory: 0x10000 },
  aarch64: { noFollow: 0x8000, directory: 0x4000 },
};

/** Those of this machine. */
export const OWN_CALLS: SystemCalls = SYSTEM_CALLS[THIS_PROCESSOR];
export const OWN_OPEN_FLAGS: typeof OPEN_FLAGS[Processor] = OPEN_FLAGS[THIS_PROCESSOR];

/** Constants that have the same value on both processors (include/uapi of the kernel). */
export const AT_FDCWD = -100;
export const AT_SYMLINK_NOFOLLOW = 0x100;
export const AT_REMOVEDIR = 0x200;
export const AT_EMPTY_PATH = 0x1000;
export const AT_RECURSIVE = 0x8000;

export const O_WRONLY = 1;
export const O_CREAT = 0x40;
export const O_EXCL = 0x80;
export const O_NONBLOCK = 0x800;
export const O_CLOEXEC = 0x80000;
export const O_PATH = 0x200000;

export const CLONE_NEWNS = 0x20000;
export const CLONE_NEWUSER = 0x10000000;
export const CLONE_NEWNET = 0x40000000;

export const SIGCHLD = 17;
/** CLONE_VM | CLONE_VFORK | SIGCHLD: memory is not copied, and the parent waits until the child's `execve`. */
export const CHILD_UNTIL_EXEC = 0x100 | 0x4000 | SIGCHLD;

export const AF_UNIX = 1;
export const AF_INET = 2;
export const AF_NETLINK = 16;
export const SOCK_STREAM = 1;

export const POLLIN = 1;
export const POLLOUT = 4;

export const EPERM = 1;
export const ENOENT = 2;
export const EAGAIN = 11;
export const ENOMEM = 12;
export const EACCES = 13;
export const EBUSY = 16;
export const EEXIST = 17;
export const EXDEV = 18;
export const ENOTDIR = 20;
export const EINVAL = 22;
export const ENOSPC = 28;
export const EROFS = 30;
export const ENOSYS = 38;
export const ELOOP = 40;
export const EPROTOTYPE = 91;
export const EOPNOTSUPP = 95;
export const EDQUOT = 122;
