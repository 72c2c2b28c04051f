/**
 * The attacks of the self-test: one for each defence, and for each kind of right to files. The catalogue in
 * tests/attacks has all ways. Without the sandbox each must be harmless too, because the positive control makes the
 * same calls. Each has its own target, so that a change shows which attack did it.
 */
import { encodeText } from "../../base/text.ts";
import { FS } from "../policy/landlock.ts";
import type { TableWord } from "../launcher/image/table.ts";
import { type Attack, type AttackDraft, attempt, type Defence } from "./attack.ts";
import {
  AF_UNIX,
  AT_FDCWD,
  AT_SYMLINK_NOFOLLOW,
  CLONE_NEWNS,
  CLONE_NEWUSER,
  O_CLOEXEC,
  O_CREAT,
  O_EXCL,
  O_WRONLY,
  SOCK_STREAM,
  type SystemCall,
} from "../../system/syscalls.ts";

const NO_DESCRIPTOR = -1;
const STAT_BYTES = 256;
const RLIMIT_CORE = 4;
const KEYCTL_GET_KEYRING_ID = 0;
const KEY_SPEC_USER_KEYRING = -4;

/** All of them, in the order they are made. */
export const ATTACKS: readonly Attack[] = [
  onFile("read", "read a file outside", FS.readFile, (draft) => open(draft, 0)),
  inDirectory("list", "list a directory outside", FS.readDir, (draft) => open(draft, draft.open.directory)),
  onFile("write", "write to a file outside", FS.writeFile, (draft) => open(draft, O_WRONLY)),
  {
    ...onFile("truncate", "truncate a file outside", FS.truncate, truncate),
    stoppedBy: ["truncation"],
  },
  inDirectory("create", "create a file outside", FS.makeReg, (draft) => {
    return open(draft, O_WRONLY | O_CREAT | O_EXCL, `${draft.target}/planted`);
  }),
  onFile("unlink", "remove a file outside", FS.removeFile, (draft) => callAt(draft, "unlinkat", 0)),
  inDirectory("move-out", "move a file out of the scope", FS.makeReg, (draft) => {
    const mine = `${draft.place.inside}/mine`;
    open(draft, O_WRONLY | O_CREAT, mine);
    return rename(draft, mine, `${draft.target}/planted`);
  }),
  onFile("move-in", "move a file outside into the scope", FS.removeFile, (draft) => {
    return rename(draft, draft.target, `${draft.place.inside}/taken`);
  }),
  onFile("link", "make a hard link inside to a file outside", FS.refer, (draft) => {
    return callAt(draft, "linkat", AT_FDCWD, draft.table.text(`${draft.place.inside}/hard`), 0);
  }),
  {
    id: "chmod",
    title: "change mode, times or attributes of a file outside",
    target: "file",
    stoppedBy: ["mounts"],
    // The mode stands for all three: nothing but a read-only mount keeps any of them.
    add: (draft) => callAt(draft, "fchmodat", 0o644),
  },
  onProcess("look", "look for a file outside by its name", ["root"], (draft) => {
    const { table, sys, place } = draft;
    const facts = table.bytes(new Uint8Array(STAT_BYTES));
    return attempt(draft, sys.newfstatat, [AT_FDCWD, table.text(place.pathSocket), facts, AT_SYMLINK_NOFOLLOW]);
  }),
  onServer("signal", "signal the server", ["scoping"], ({ table, sys, place }) => {
    return attempt({ table }, sys.kill, [place.server, 0]);
  }),
  // The kernel asks the same of it as of ptrace, which itself would stop a server that it got hold of.
  onServer("trace", "look into the server as a debugger", ["landlock"], ({ table, sys, place }) => {
    const result = table.words(0, 0);
    const length = { kind: "data", offset: result.offset + 8 } as const;
    return attempt({ table }, sys.get_robust_list, [place.server, result, length]);
  }),
  // To what they are, so that nothing changes where it works.
  onServer("limits", "set the server's limits", ["processes", "seccomp"], ({ table, sys, place }) => {
    const limit = table.words(0, 0);
    attempt({ table }, sys.prlimit64, [place.server, RLIMIT_CORE, 0, limit]);
    return attempt({ table }, sys.prlimit64, [place.server, RLIMIT_CORE, limit, 0]);
  }),
  onProcess("abstract-socket", "connect to an abstract socket outside", ["abstract"], (draft) => {
    return connect(draft, `\0${draft.place.abstractSocket}`);
  }),
  onProcess("path-socket", "connect to a socket outside by its path", ["unix"], (draft) => {
    return connect(draft, draft.place.pathSocket);
  }),
  onProcess("keyring", "reach the user's key ring", ["seccomp"], (draft) => {
    return attempt(draft, draft.sys.keyctl, [KEYCTL_GET_KEYRING_ID, KEY_SPEC_USER_KEYRING, 0]);
  }),
  // Into the same one: it takes the same right, and the attacks after it are not led astray.
  onProcess("chroot", "change the root directory", ["capabilities"], (draft) => {
    return attempt(draft, draft.sys.chroot, [draft.table.text("/")]);
  }),
  // From here on the process may have rights it did not have: nothing else may come after.
  onProcess("user-namespace", "enter a new user namespace", ["seccomp"], (draft) => {
    return attempt(draft, draft.sys.unshare, [CLONE_NEWUSER | CLONE_NEWNS]);
  }),
];

/** On the file of its name; Landlock stops it where it does not grant `rights`. */
function onFile(id: string, title: string, rights: number, add: Attack["add"]): Attack {
  return { id, title, target: "file", stoppedBy: ["landlock"], rights, add };
}

/** The same in the directory of its name. */
function inDirectory(id: string, title: string, rights: number, add: Attack["add"]): Attack {
  return { ...onFile(id, title, rights, add), target: "directory" };
}

function onProcess(id: string, title: string, stoppedBy: readonly Defence[], add: Attack["add"]): Attack {
  return { id, title, stoppedBy, add };
}

/** On the server, by its process id. */
function onServer(id: string, title: string, stoppedBy: readonly Defence[], add: Attack["add"]): Attack {
  return { id, title, stoppedBy, byProcessId: true, add };
}

function truncate({ table, sys, target }: AttackDraft): number {
  return attempt({ table }, sys.truncate, [table.text(target), 0]);
}

/** A call whose first arguments are the directory of the process and the target's path. */
function callAt(draft: AttackDraft, call: SystemCall, ...args: readonly TableWord[]): number {
  return attempt(draft, draft.sys[call], [AT_FDCWD, draft.table.text(draft.target), ...args]);
}

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
