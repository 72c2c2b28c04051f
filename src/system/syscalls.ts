/**
 * System call numbers, of x86_64 first, then of aarch64 (linux/arch/x86/entry/syscalls/syscall_64.tbl,
 * include/uapi/asm-generic/unistd.h).
 */

/** The number of no system call: the kernel answers ENOSYS. In the table: this processor never had the call. */
export const NO_CALL = -1;

const NUMBERS = {
  acct: [163, 89],
  add_key: [248, 217],
  adjtimex: [159, 171],
  bind: [49, 200],
  bpf: [321, 280],
  capset: [126, 91],
  chdir: [80, 49],
  chroot: [161, 51],
  clock_adjtime: [305, 266],
  clock_settime: [227, 112],
  clone: [56, 220],
  clone3: [435, 435],
  close: [3, 57],
  close_range: [436, 436],
  connect: [42, 203],
  delete_module: [176, 106],
  dup3: [292, 24],
  execve: [59, 221],
  exit_group: [231, 94],
  fchmodat: [268, 53],
  fcntl: [72, 25],
  finit_module: [313, 273],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  get_robust_list: [274, 100],
  getdents64: [217, 61],
  getpid: [39, 172],
  getppid: [110, 173],
  init_module: [175, 105],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  ioctl: [16, 29],
  ioperm: [173, NO_CALL],
  iopl: [172, NO_CALL],
  ioprio_set: [251, 30],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  kill: [62, 129],
  landlock_add_rule: [445, 445],
  landlock_create_ruleset: [444, 444],
  landlock_restrict_self: [446, 446],
  linkat: [265, 37],
  listen: [50, 201],
  mkdirat: [258, 34],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  newfstatat: [262, 79],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
  openat: [257, 56],
  openat2: [437, 437],
  perf_event_open: [298, 241],
  pidfd_getfd: [438, 438],
  pidfd_open: [434, 434],
  pivot_root: [155, 41],
  ppoll: [271, 73],
  prctl: [157, 167],
  prlimit64: [302, 261],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  read: [0, 63],
  reboot: [169, 142],
  renameat2: [316, 276],
  request_key: [249, 218],
  rt_sigaction: [13, 134],
  rt_sigprocmask: [14, 135],
  sched_setattr: [314, 274],
  sched_setparam: [142, 118],
  sched_setscheduler: [144, 119],
  seccomp: [317, 277],
  sendmmsg: [307, 269],
  sendmsg: [46, 211],
  sendto: [44, 206],
  setdomainname: [171, 162],
  sethostname: [170, 161],
  setns: [308, 268],
  setpriority: [141, 140],
  setsid: [112, 157],
  settimeofday: [164, 170],
  socket: [41, 198],
  socketpair: [53, 199],
  swapoff: [168, 225],
  swapon: [167, 224],
  symlinkat: [266, 36],
  syslog: [103, 116],
  truncate: [76, 45],
  umask: [95, 166],
  umount2: [166, 39],
  unlinkat: [263, 35],
  unshare: [272, 97],
  userfaultfd: [323, 282],
  vhangup: [153, 58],
  write: [1, 64],
} as const satisfies Readonly<Record<string, readonly [x64: number, arm64: number]>>;

/** The processors the launcher exists for. */
export type Processor = "x86_64" | "aarch64";

export type SystemCall = keyof typeof NUMBERS;

export type SystemCalls = Readonly<Record<SystemCall, number>>;

function numbersAt(index: 0 | 1): SystemCalls {
  const entries = Object.entries(NUMBERS).map(([name, numbers]) => [name, numbers[index]]);
  return Object.fromEntries(entries) as SystemCalls; // the keys of a constant object
}

export const SYSTEM_CALLS: Readonly<Record<Processor, SystemCalls>> = { x86_64: numbersAt(0), aarch64: numbersAt(1) };

/** Flags of `openat` whose values differ between the two (asm-generic and arm64 fcntl.h). */
export const OPEN_FLAGS: Readonly<Record<Processor, { readonly noFollow: number; readonly directory: number }>> = {
  x86_64: { noFollow: 0x20000, directory: 0x10000 },
  aarch64: { noFollow: 0x8000, directory: 0x4000 },
};

/** Constants that have the same value on both processors (include/uapi of the kernel). */
export const AT_FDCWD = -100;
export const AT_EMPTY_PATH = 0x1000;
export const AT_RECURSIVE = 0x8000;

export const O_WRONLY = 1;
export const O_CREAT = 0x40;
export const O_EXCL = 0x80;
export const O_CLOEXEC = 0x80000;
export const O_PATH = 0x200000;

export const CLONE_NEWNS = 0x20000;
export const CLONE_NEWUSER = 0x10000000;
export const CLONE_NEWNET = 0x40000000;

export const AF_UNIX = 1;
export const AF_INET = 2;
export const SOCK_STREAM = 1;

export const EPERM = 1;
export const EACCES = 13;
export const EINVAL = 22;
export const ENOSYS = 38;
