/**
 * The attacks of the self-test: one for each defence, and for each kind of right to files. The catalogue in tests/attacks
 * has all ways. Without the sandbox each must be harmless too, because the positive control makes the same calls. Each
 * has a target of its own, so that what changed tells who did it.
 */
import { encodeText } from "../../base/text.ts";
import { FS } from "../policy/landlock.ts";
import { type Attack, type AttackDraft, attempt } from "./attack.ts";
import {
  AF_UNIX,
  AT_FDCWD,
  CLONE_NEWNS,
  CLONE_NEWUSER,
  O_CLOEXEC,
  O_CREAT,
  O_EXCL,
  O_WRONLY,
  SOCK_STREAM,
} from "../../system/syscalls.ts";

const NO_DESCRIPTOR = -1;
const RLIMIT_CORE = 4;
const KEYCTL_GET_KEYRING_ID = 0;
const KEY_SPEC_USER_KEYRING = -4;

const ON_FILE = { target: "file", stoppedBy: ["landlock"] } as const;
const IN_DIRECTORY = { target: "directory", stoppedBy: ["landlock"] } as const;

/** All of them, in the order they are made. */
export const ATTACKS: readonly Attack[] = [
  { ...ON_FILE, id: "read", title: "read a file outside", rights: FS.readFile, add: (draft) => open(draft, 0) },
  {
    ...IN_DIRECTORY,
    id: "list",
    title: "list a directory outside",
    rights: FS.readDir,
    add: (draft) => open(draft, draft.open.directory),
  },
  {
    ...ON_FILE,
    id: "write",
    title: "write to a file outside",
    rights: FS.writeFile,
    add: (draft) => open(draft, O_WRONLY),
  },
  {
    ...ON_FILE,
    id: "truncate",
    title: "truncate a file outside",
    rights: FS.truncate,
    stoppedBy: ["truncation"],
    add: (draft) => attempt(draft, draft.sys.truncate, [draft.table.text(draft.target), 0]),
  },
  {
    ...IN_DIRECTORY,
    id: "create",
    title: "create a file outside",
    rights: FS.makeReg,
    add: (draft) => open(draft, O_WRONLY | O_CREAT | O_EXCL, `${draft.target}/planted`),
  },
  {
    ...ON_FILE,
    id: "unlink",
    title: "remove a file outside",
    rights: FS.removeFile,
    add: (draft) => attempt(draft, draft.sys.unlinkat, [AT_FDCWD, draft.table.text(draft.target), 0]),
  },
  {
    ...IN_DIRECTORY,
    id: "move-out",
    title: "move a file out of the scope",
    rights: FS.makeReg,
    add: (draft) => {
      const mine = `${draft.place.inside}/mine`;
      open(draft, O_WRONLY | O_CREAT, mine);
      return rename(draft, mine, `${draft.target}/planted`);
    },
  },
  {
    ...ON_FILE,
    id: "move-in",
    title: "move a file outside into the scope",
    rights: FS.removeFile,
    add: (draft) => rename(draft, draft.target, `${draft.place.inside}/taken`),
  },
  {
    ...ON_FILE,
    id: "link",
    title: "make a hard link inside to a file outside",
    rights: FS.refer,
    add: (draft) => {
      const name = draft.table.text(`${draft.place.inside}/hard`);
      return attempt(draft, draft.sys.linkat, [AT_FDCWD, draft.table.text(draft.target), AT_FDCWD, name, 0]);
    },
  },
  {
    id: "chmod",
    title: "change mode, times or attributes of a file outside",
    target: "file",
    stoppedBy: ["mounts"],
    // The mode stands for all three: nothing but a read-only mount keeps any of them.
    add: (draft) => attempt(draft, draft.sys.fchmodat, [AT_FDCWD, draft.table.text(draft.target), 0o644]),
  },
  {
    id: "signal",
    title: "signal the server",
    byProcessId: true,
    stoppedBy: ["scoping"],
    add: (draft) => attempt(draft, draft.sys.kill, [draft.place.server, 0]),
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
    id: "keyring",
    title: "reach the user's key ring",
    stoppedBy: ["seccomp"],
    add: (draft) => attempt(draft, draft.sys.keyctl, [KEYCTL_GET_KEYRING_ID, KEY_SPEC_USER_KEYRING, 0]),
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
];

function open(draft: AttackDraft, flags: number, path = draft.target): number {
  return attempt(draft, draft.sys.openat, [AT_FDCWD, draft.table.text(path), flags | O_CLOEXEC, 0o600]);
}

function rename(draft: AttackDraft, from: string, to: string): number {
  const { table, sys } = draft;
  return attempt(draft, sys.renameat2, [AT_FDCWD, table.text(from), AT_FDCWD, table.text(to), 0]);
}

function connect(draft: AttackDraft, name: string): number {
  const socket = attempt(draft, draft.sys.socket, [AF_UNIX, SOCK_STREAM, 0]);
  const address = socketAddress(name);
  const connected = attempt(draft, draft.sys.connect, [NO_DESCRIPTOR, draft.table.bytes(address), address.length]);
  draft.table.passOn(socket, connected);
  return connected;
}

/** `struct sockaddr_un` for a path, or for a name that begins with NUL. */
export function socketAddress(name: string): Uint8Array {
  const bytes = encodeText(name.startsWith("\0") ? name : `${name}\0`);
  return new Uint8Array([AF_UNIX, 0, ...bytes]);
}
