/** System call numbers by processor (linux/arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h). */

export interface SystemCalls {
  readonly capset: number;
  readonly chdir: number;
  readonly clone: number;
  readonly close: number;
  readonly close_range: number;
  readonly dup3: number;
  readonly execve: number;
  readonly exit_group: number;
  readonly fchdir: number;
  readonly getdents64: number;
  readonly getpid: number;
  readonly getppid: number;
  readonly ioctl: number;
  readonly landlock_add_rule: number;
  readonly landlock_create_ruleset: number;
  readonly landlock_restrict_self: number;
  readonly mount: number;
  readonly mount_setattr: number;
  readonly newfstatat: number;
  readonly move_mount: number;
  readonly open_tree: number;
  readonly openat: number;
  readonly openat2: number;
  readonly pidfd_open: number;
  readonly ppoll: number;
  readonly prctl: number;
  readonly prlimit64: number;
  readonly read: number;
  readonly rt_sigaction: number;
  readonly rt_sigprocmask: number;
  readonly seccomp: number;
  readonly setns: number;
  readonly setsid: number;
  readonly socket: number;
  readonly umask: number;
  readonly unshare: number;
  readonly write: number;
}

/** The processors the launcher exists for. */
export type Processor = "x86_64" | "aarch64";

const COMMON = {
  close_range: 436,
  landlock_add_rule: 445,
  landlock_create_ruleset: 444,
  landlock_restrict_self: 446,
  mount_setattr: 442,
  move_mount: 429,
  open_tree: 428,
  openat2: 437,
  pidfd_open: 434,
} as const;

export const SYSTEM_CALLS: Readonly<Record<Processor, SystemCalls>> = {
  x86_64: {
    ...COMMON,
    capset: 126,
    chdir: 80,
    clone: 56,
    close: 3,
    dup3: 292,
    execve: 59,
    exit_group: 231,
    fchdir: 81,
    getdents64: 217,
    getpid: 39,
    getppid: 110,
    ioctl: 16,
    mount: 165,
    newfstatat: 262,
    openat: 257,
    ppoll: 271,
    prctl: 157,
    prlimit64: 302,
    read: 0,
    rt_sigaction: 13,
    rt_sigprocmask: 14,
    seccomp: 317,
    setns: 308,
    setsid: 112,
    socket: 41,
    umask: 95,
    unshare: 272,
    write: 1,
  },
  aarch64: {
    ...COMMON,
    capset: 91,
    chdir: 49,
    clone: 220,
    close: 57,
    dup3: 24,
    execve: 221,
    exit_group: 94,
    fchdir: 50,
    getdents64: 61,
    getpid: 172,
    getppid: 173,
    ioctl: 29,
    mount: 40,
    newfstatat: 79,
    openat: 56,
    ppoll: 73,
    prctl: 167,
    prlimit64: 261,
    read: 63,
    rt_sigaction: 134,
    rt_sigprocmask: 135,
    seccomp: 277,
    setns: 268,
    setsid: 157,
    socket: 198,
    umask: 166,
    unshare: 97,
    write: 64,
  },
};

/** Flags of `openat` whose values differ between the two (asm-generic and arm64 fcntl.h). */
export const OPEN_FLAGS: Readonly<Record<Processor, { readonly noFollow: number; readonly directory: number }>> = {
  x86_64: { noFollow: 0x20000, directory: 0x10000 },
  aarch64: { noFollow: 0x8000, directory: 0x4000 },
};
