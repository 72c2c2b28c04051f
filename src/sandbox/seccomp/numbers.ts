/**
 * Numbers of the calls the filter looks at (linux/arch/x86/entry/syscalls/syscall_64.tbl,
 * include/uapi/asm-generic/unistd.h), x86_64 first; undefined: this processor never had the call.
 */
import type { Processor } from "../../system/syscalls.ts";

const NUMBERS = {
  acct: [163, 89],
  add_key: [248, 217],
  adjtimex: [159, 171],
  bpf: [321, 280],
  chroot: [161, 51],
  clock_adjtime: [305, 266],
  clock_settime: [227, 112],
  clone: [56, 220],
  clone3: [435, 435],
  delete_module: [176, 106],
  fcntl: [72, 25],
  finit_module: [313, 273],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  init_module: [175, 105],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  ioctl: [16, 29],
  ioperm: [173, undefined],
  iopl: [172, undefined],
  ioprio_set: [251, 30],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
  perf_event_open: [298, 241],
  pidfd_getfd: [438, 438],
  pivot_root: [155, 41],
  prlimit64: [302, 261],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  reboot: [169, 142],
  request_key: [249, 218],
  sched_setattr: [314, 274],
  sched_setparam: [142, 118],
  sched_setscheduler: [144, 119],
  sendmmsg: [307, 269],
  sendmsg: [46, 211],
  sendto: [44, 206],
  setdomainname: [171, 162],
  sethostname: [170, 161],
  setns: [308, 268],
  setpriority: [141, 140],
  settimeofday: [164, 170],
  socket: [41, 198],
  socketpair: [53, 199],
  swapoff: [168, 225],
  swapon: [167, 224],
  syslog: [103, 116],
  umount2: [166, 39],
  unshare: [272, 97],
  userfaultfd: [323, 282],
  vhangup: [153, 58],
} as const satisfies Readonly<Record<string, readonly [x64: number, arm64: number | undefined]>>;

/** A call the filter looks at. */
export type FilteredCall = keyof typeof NUMBERS;

/** Every call the filter may look at. */
export const FILTERED_CALLS = Object.keys(NUMBERS) as readonly FilteredCall[]; // the keys of a constant object are known

/** Its number; undefined where the processor never had it. */
export function numberOf(call: FilteredCall, processor: Processor): number | undefined {
  return NUMBERS[call][processor === "x86_64" ? 0 : 1];
}

/** AUDIT_ARCH_* (linux/audit.h): which set of numbers a call was made with. */
export const ARCHITECTURE: Readonly<Record<Processor, number>> = { x86_64: 0xc000003e, aarch64: 0xc00000b7 };

/** __X32_SYSCALL_BIT: x86_64's third set of numbers, under the architecture of the first. */
export const X32_NUMBERS = 0x40000000;
