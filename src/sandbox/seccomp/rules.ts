/** Which system calls are denied, and with what arguments: plain data, from which the filter is assembled (S6, S8). */
import { words } from "../../base/text.ts";
import type { Confinement } from "../policy/confinement.ts";
import {
  AF_INET,
  AF_UNIX,
  EACCES,
  ENOMEM,
  ENOSYS,
  EPERM,
  SOCK_STREAM,
  type SystemCall,
} from "../../system/syscalls.ts";

/** What the rules depend on. */
export interface FilterProfile extends Pick<Confinement, "network" | "unixSockets"> {
  /** Commands have a PID namespace of their own, in which others cannot even be named. */
  readonly namespaces: boolean;
  /** A process has a limit of memory, and nothing counts what it shares with others. */
  readonly boundsMemory: boolean;
}

/** A demand on one 32-bit word of an argument. */
export interface Demand {
  /** Which argument, from 0. */
  readonly arg: number;
  /** The upper 32 bits; absent: the lower ones, all there is of an int. */
  readonly high?: true;
  /** Bits that count; absent: all. */
  readonly mask?: number;
  /** The word must be one of these ... */
  readonly oneOf?: readonly number[];
  /** ... and none of these. */
  readonly noneOf?: readonly number[];
}

/** A call is denied with `errno`, unless every demand of one of the exceptions is met. */
export interface Rule {
  readonly errno: number;
  /** Absent: always denied. */
  readonly unless?: readonly (readonly Demand[])[];
}

/** Other processes, the kernel itself, mounts and namespaces, the machine's settings: nothing that commands need. */
const NEVER: readonly SystemCall[] = words(
  // Other processes
  "kcmp pidfd_getfd process_vm_readv process_vm_writev ptrace",
  // The kernel: modules, programs, its log, keys, and what watches it
  "add_key bpf delete_module finit_module init_module ioperm iopl kexec_file_load kexec_load keyctl perf_event_open",
  "request_key syslog userfaultfd",
  // Mounts and namespaces
  "chroot fsconfig fsmount fsopen fspick mount mount_setattr move_mount open_by_handle_at open_tree open_tree_attr",
  "pivot_root setns umount2",
  // Settings of the machine
  "acct adjtimex clock_adjtime clock_settime quotactl quotactl_fd reboot setdomainname sethostname settimeofday swapoff",
  "swapon vhangup",
);

/**
 * Reported as missing, so that programs use their fallback: `clone`, whose flags can be checked, and event loops
 * without io_uring, whose operations no filter sees.
 */
const ABSENT: readonly SystemCall[] = ["clone3", "io_uring_enter", "io_uring_register", "io_uring_setup"];

/** CLONE_NEW* of linux/sched.h without NEWTIME, whose bit is part of the exit signal in `clone`. */
const NEW_NAMESPACES = 0x7e020000;
const CLONE_NEWTIME = 0x80;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/** F_SETLEASE and F_SETDELEG (linux/fcntl.h): programs outside that open such a file must wait. */
const LEASES = [1024, 1040];
const MSG_FASTOPEN = 0x20000000;
/** MAP_* (linux/mman.h). */
const MAP_TYPE = 0xf;
const MAP_PRIVATE = 2;
const MAP_DROPPABLE = 8;
const MAP_ANONYMOUS = 0x20;
const MAP_GROWSDOWN = 0x100;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;
const SOCK_DGRAM = 2;
const SOCK_SEQPACKET = 5;
/** IPPROTO_: the default, ICMP, TCP, UDP, ICMPv6, MPTCP. Others (SCTP, L2TP, SMC) load little-reviewed modules. */
const PROTOCOLS = [0, 1, 6, 17, 58, 262];
/** The rest of `type` are flags. */
const SOCK_TYPE_MASK = 0xf;

/** The rules by call; a call without one is allowed. */
export function filterRules(profile: FilterProfile): ReadonlyMap<SystemCall, Rule> {
  const rules = new Map<SystemCall, Rule>();
  for (const call of NEVER) rules.set(call, { errno: EPERM });
  for (const call of ABSENT) rules.set(call, { errno: ENOSYS });
  rules.set("clone", deniedUnless([{ arg: 0, mask: NEW_NAMESPACES, oneOf: [0] }]));
  rules.set("unshare", deniedUnless([{ arg: 0, mask: (NEW_NAMESPACES | CLONE_NEWTIME) >>> 0, oneOf: [0] }]));
  rules.set("ioctl", deniedUnless([{ arg: 1, noneOf: [TIOCSTI, TIOCLINUX] }]));
  rules.set("fcntl", deniedUnless([{ arg: 1, noneOf: LEASES }]));
  restrictPowerOverOthers(rules, profile);
  restrictSockets(rules, profile);
  if (profile.boundsMemory) refuseUncountedMemory(rules);
  return rules;
}

/**
 * RLIMIT_DATA counts neither memory that processes can share nor mappings that grow like a stack. Files in memory are
 * reported as missing from the kernel: programs then use /dev/shm, which has a size.
 */
function refuseUncountedMemory(rules: Map<SystemCall, Rule>): void {
  for (const call of ["memfd_create", "memfd_secret"] as const) rules.set(call, { errno: ENOSYS });
  rules.set("shmget", { errno: ENOMEM });
  const ofFile = { arg: 3, mask: MAP_ANONYMOUS | MAP_GROWSDOWN, oneOf: [0] };
  const ofOneProcess = { arg: 3, mask: MAP_TYPE | MAP_GROWSDOWN, oneOf: [MAP_PRIVATE, MAP_DROPPABLE] };
  rules.set("mmap", { errno: ENOMEM, unless: [[ofFile], [ofOneProcess]] });
}

/**
 * What changes another process by its id: on oneself (0) it stays. Limits of others may be read. The first process of a
 * namespace (1) serves other commands too, which inherit its attributes.
 */
function restrictPowerOverOthers(rules: Map<SystemCall, Rule>, { namespaces }: FilterProfile): void {
  const self = { arg: 0, oneOf: [0] };
  rules.set("prlimit64", deniedUnless([self], [{ arg: 2, oneOf: [0] }, { arg: 2, high: true, oneOf: [0] }]));
  // PRIO_PROCESS, PRIO_PGRP; the third kind means every process of a user. The first process is in the command's group.
  rules.set("setpriority", deniedUnless([{ arg: 0, oneOf: namespaces ? [0] : [0, 1] }, { arg: 1, oneOf: [0] }]));
  // IOPRIO_WHO_PROCESS, IOPRIO_WHO_PGRP
  rules.set("ioprio_set", deniedUnless([{ arg: 0, oneOf: namespaces ? [1] : [1, 2] }, { arg: 1, oneOf: [0] }]));
  // Threads of a program set these of each other by id; where ids of others mean something, that is denied.
  for (const call of ["sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler"] as const) {
    if (namespaces) rules.set(call, deniedUnless([{ arg: 0, noneOf: [1] }]));
    else if (call !== "sched_setaffinity") rules.set(call, deniedUnless([self]));
  }
}

/** Families are allowed one by one; what is not named (raw, packet, vsock, crypto, bluetooth, ...) is denied. */
function restrictSockets(rules: Map<SystemCall, Rule>, { network, unixSockets }: FilterProfile): void {
  const sockets: (readonly Demand[])[] = [];
  if (network !== "none") {
    const types = { arg: 1, mask: SOCK_TYPE_MASK, oneOf: [SOCK_STREAM, SOCK_DGRAM] };
    sockets.push([{ arg: 0, oneOf: [AF_INET, AF_INET6] }, types, { arg: 2, oneOf: PROTOCOLS }]);
    // How programs list network interfaces; changing them takes a capability.
    sockets.push([{ arg: 0, oneOf: [AF_NETLINK] }, { arg: 2, oneOf: [NETLINK_ROUTE] }]);
  } else {
    for (const [call, arg] of [["sendto", 3], ["sendmsg", 2], ["sendmmsg", 3]] as const) {
      rules.set(call, deniedUnless([{ arg, mask: MSG_FASTOPEN, oneOf: [0] }]));
    }
  }
  // Other families have pairs too (TIPC), which would bypass this rule.
  const pair: Demand[] = [{ arg: 0, oneOf: [AF_UNIX] }];
  if (unixSockets === "allow") sockets.push([{ arg: 0, oneOf: [AF_UNIX] }]);
  else {
    // A pair of datagram sockets can be connected to any other socket; other pairs stay connected to each other.
    const connected = { arg: 1, mask: SOCK_TYPE_MASK, oneOf: [SOCK_STREAM, SOCK_SEQPACKET] };
    pair.push(connected);
    // What listens can be covered by a mount; the kernel does not list those that only receive datagrams.
    if (unixSockets === "private") sockets.push([{ arg: 0, oneOf: [AF_UNIX] }, connected]);
  }
  rules.set("socketpair", { errno: EACCES, unless: [pair] });
  rules.set("socket", { errno: EACCES, unless: sockets });
}

function deniedUnless(...unless: readonly (readonly Demand[])[]): Rule {
  return { errno: EPERM, unless };
}
