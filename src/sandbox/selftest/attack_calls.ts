/** System calls that only attacks make (linux/arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h). */
import { type Processor, SYSTEM_CALLS, type SystemCalls } from "../../system/syscalls.ts";

/** What the self-test tries, in addition to what the launcher itself calls. */
export interface AttackCalls extends SystemCalls {
  readonly bind: number;
  readonly bpf: number;
  readonly chroot: number;
  readonly connect: number;
  readonly fchmodat: number;
  readonly fchownat: number;
  readonly get_robust_list: number;
  readonly io_uring_setup: number;
  readonly keyctl: number;
  readonly kill: number;
  readonly linkat: number;
  readonly listen: number;
  readonly mkdirat: number;
  readonly mknodat: number;
  readonly name_to_handle_at: number;
  readonly open_by_handle_at: number;
  readonly perf_event_open: number;
  readonly pidfd_send_signal: number;
  readonly read: number;
  readonly renameat2: number;
  readonly sethostname: number;
  readonly setxattr: number;
  readonly socket: number;
  readonly symlinkat: number;
  readonly truncate: number;
  readonly umount2: number;
  readonly uname: number;
  readonly unlinkat: number;
  readonly utimensat: number;
}

const COMMON = { io_uring_setup: 425, pidfd_send_signal: 424 } as const;

export const ATTACK_CALLS: Readonly<Record<Processor, AttackCalls>> = {
  x86_64: {
    ...SYSTEM_CALLS.x86_64,
    ...COMMON,
    bind: 49,
    bpf: 321,
    chroot: 161,
    connect: 42,
    fchmodat: 268,
    fchownat: 260,
    get_robust_list: 274,
    keyctl: 250,
    kill: 62,
    linkat: 265,
    listen: 50,
    mkdirat: 258,
    mknodat: 259,
    name_to_handle_at: 303,
    open_by_handle_at: 304,
    perf_event_open: 298,
    read: 0,
    renameat2: 316,
    sethostname: 170,
    setxattr: 188,
    socket: 41,
    symlinkat: 266,
    truncate: 76,
    umount2: 166,
    uname: 63,
    unlinkat: 263,
    utimensat: 280,
  },
  aarch64: {
    ...SYSTEM_CALLS.aarch64,
    ...COMMON,
    bind: 200,
    bpf: 280,
    chroot: 51,
    connect: 203,
    fchmodat: 53,
    fchownat: 54,
    get_robust_list: 100,
    keyctl: 219,
    kill: 129,
    linkat: 37,
    listen: 201,
    mkdirat: 34,
    mknodat: 33,
    name_to_handle_at: 264,
    open_by_handle_at: 265,
    perf_event_open: 241,
    read: 63,
    renameat2: 276,
    sethostname: 161,
    setxattr: 5,
    socket: 198,
    symlinkat: 36,
    truncate: 45,
    umount2: 39,
    uname: 160,
    unlinkat: 35,
    utimensat: 88,
  },
};
