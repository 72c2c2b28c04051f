/**
 * Attacks on other processes, on sockets outside and on the system. Without the sandbox each must be harmless too:
 * the positive control makes the same calls, in mount and host name namespaces of its own where it may; where it may not
 * it mounts nothing.
 */
import { encodeText } from "../../base/text.ts";
import { type Attack, type AttackDraft, attempt, passOn } from "./attack.ts";
import { mountSomething } from "./own_mounts.ts";

const AT_FDCWD = -100;
const NO_DESCRIPTOR = -1;
const O_RDWR = 2;
const O_CLOEXEC = 0x80000;
const CLONE_NEWNS = 0x20000;
const CLONE_NEWUSER = 0x10000000;
const MS_BIND = 0x1000;
const AF_UNIX = 1;
const SOCK_STREAM = 1;
const RLIMIT_CORE = 4;
const BPF_MAP_CREATE = 0;
const PERF_TYPE_SOFTWARE = 1;
const PERF_ATTRIBUTE_BYTES = 64;
/** A field of `struct new_utsname`; the second one is the host name. */
const UTS_FIELD_BYTES = 65;
const KEYCTL_GET_KEYRING_ID = 0;
const KEY_SPEC_USER_KEYRING = -4;

export const SYSTEM_ATTACKS: readonly Attack[] = [
  {
    id: "signal",
    title: "signal the server",
    byProcessId: true,
    stoppedBy: ["scoping"],
    add: (draft) => attempt(draft, draft.sys.kill, [draft.place.server, 0]),
  },
  {
    id: "signal-pidfd",
    title: "signal the server through a process descriptor",
    byProcessId: true,
    stoppedBy: ["scoping"],
    add: (draft) => {
      const pidfd = attempt(draft, draft.sys.pidfd_open, [draft.place.server, 0]);
      const signal = attempt(draft, draft.sys.pidfd_send_signal, [NO_DESCRIPTOR, 0, 0, 0]);
      passOn(draft, pidfd, signal);
      return signal;
    },
  },
  {
    // The kernel asks the same of it as of ptrace, which itself would stop a server that it got hold of.
    id: "trace",
    title: "look into the server as a debugger",
    byProcessId: true,
    stoppedBy: ["landlock"],
    add: (draft) => {
      const result = draft.table.words(0, 0);
      const length = { kind: "data", offset: result.offset + 8 } as const;
      return attempt(draft, draft.sys.get_robust_list, [draft.place.server, result, length]);
    },
  },
  {
    id: "environ",
    title: "read the server's variables",
    byProcessId: true,
    stoppedBy: ["landlock"],
    add: (draft) => open(draft, `/proc/${draft.place.server}/environ`, 0),
  },
  {
    id: "memory",
    title: "open the server's memory",
    byProcessId: true,
    stoppedBy: ["landlock"],
    add: (draft) => open(draft, `/proc/${draft.place.server}/mem`, O_RDWR),
  },
  {
    id: "limits",
    title: "set the server's limits",
    byProcessId: true,
    stoppedBy: ["processes", "seccomp"],
    // To what they are, so that nothing changes where it works.
    add: (draft) => {
      const { sys, place } = draft;
      const limit = draft.table.words(0, 0);
      attempt(draft, sys.prlimit64, [place.server, RLIMIT_CORE, 0, limit]);
      return attempt(draft, sys.prlimit64, [place.server, RLIMIT_CORE, limit, 0]);
    },
  },
  {
    id: "abstract-socket",
    title: "connect to an abstract socket outside",
    stoppedBy: ["abstract"],
    add: (draft) => connect(draft, `\0${draft.place.abstractSocket}`),
  },
  {
    id: "path-socket",
    title: "connect to a socket outside by its path",
    stoppedBy: ["unix"],
    add: (draft) => connect(draft, draft.place.pathSocket),
  },
  {
    id: "mount",
    title: "mount over a directory outside",
    target: "directory",
    stoppedBy: ["landlock"],
    add: (draft) => mountOver(draft, draft.target),
  },
  {
    id: "bind",
    title: "show a directory outside in the scope",
    target: "directory",
    stoppedBy: ["landlock"],
    add: (draft) => {
      const { table, place, target } = draft;
      return mountSomething(draft, [table.text(target), table.text(place.inside), 0, MS_BIND]);
    },
  },
  {
    id: "bpf",
    title: "load into the kernel (bpf)",
    stoppedBy: ["capabilities"],
    add: (draft) => {
      const array = draft.table.words(2 + 4 * 0x1_0000_0000, 8 + 0x1_0000_0000, 0, 0, 0, 0, 0, 0); // type, key, value, entries
      return attempt(draft, draft.sys.bpf, [BPF_MAP_CREATE, array, 64]);
    },
  },
  {
    id: "perf",
    title: "watch the server with perf",
    byProcessId: true,
    stoppedBy: ["capabilities", "landlock"],
    add: (draft) => {
      const attribute = draft.table.words(
        PERF_TYPE_SOFTWARE + PERF_ATTRIBUTE_BYTES * 0x1_0000_0000,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
      );
      return attempt(draft, draft.sys.perf_event_open, [attribute, draft.place.server, -1, -1, 8]);
    },
  },
  {
    id: "host-name",
    title: "change the host name",
    stoppedBy: ["capabilities"],
    // To the name it has, read into the very buffer: even where it works nothing changes (asm/utsname.h: 65 bytes each).
    add: (draft) => {
      const names = draft.table.bytes(new Uint8Array(6 * UTS_FIELD_BYTES));
      attempt(draft, draft.sys.uname, [names]);
      return attempt(draft, draft.sys.sethostname, [
        { kind: "data", offset: names.offset + UTS_FIELD_BYTES },
        draft.place.hostNameBytes,
      ]);
    },
  },
  {
    id: "keyring",
    title: "reach the user's key ring",
    stoppedBy: ["seccomp"],
    add: (draft) => attempt(draft, draft.sys.keyctl, [KEYCTL_GET_KEYRING_ID, KEY_SPEC_USER_KEYRING, 0]),
  },
  {
    id: "io-uring",
    title: "set up io_uring",
    stoppedBy: ["seccomp"],
    add: (draft) => attempt(draft, draft.sys.io_uring_setup, [1, draft.table.bytes(new Uint8Array(120))]),
  },
  {
    id: "chroot",
    title: "change the root directory",
    stoppedBy: ["capabilities"],
    // Into the same one: it takes the same right, and the attacks after it are not led astray.
    add: (draft) => attempt(draft, draft.sys.chroot, [draft.table.text("/")]),
  },
  // From here on the process may have rights it did not have: nothing else may come after.
  {
    id: "user-namespace",
    title: "enter a new user namespace",
    stoppedBy: ["seccomp"],
    add: (draft) => attempt(draft, draft.sys.unshare, [CLONE_NEWUSER | CLONE_NEWNS]),
  },
  {
    id: "mount-as-user",
    title: "mount over a directory outside in a new user namespace",
    target: "directory",
    stoppedBy: ["landlock"],
    add: (draft) => mountOver(draft, draft.target),
  },
];

function open(draft: AttackDraft, path: string, flags: number): number {
  return attempt(draft, draft.sys.openat, [AT_FDCWD, draft.table.text(path), flags | O_CLOEXEC, 0]);
}

function mountOver(draft: AttackDraft, directory: string): number {
  const { table } = draft;
  return mountSomething(draft, [table.text("none"), table.text(directory), table.text("tmpfs"), 0]);
}

function connect(draft: AttackDraft, name: string): number {
  const socket = attempt(draft, draft.sys.socket, [AF_UNIX, SOCK_STREAM, 0]);
  const address = socketAddress(name);
  const connected = attempt(draft, draft.sys.connect, [NO_DESCRIPTOR, draft.table.bytes(address), address.length]);
  passOn(draft, socket, connected);
  return connected;
}

/** `struct sockaddr_un` for a path, or for a name that begins with NUL. */
export function socketAddress(name: string): Uint8Array {
  const bytes = encodeText(name.startsWith("\0") ? name : `${name}\0`);
  return new Uint8Array([AF_UNIX, 0, ...bytes]);
}
