/** Attacks on files outside the scope. Each has a target of its own, so that what changed tells who did it. */
import { FS } from "../policy/landlock.ts";
import { type Attack, type AttackDraft, attempt, passOn } from "./attack.ts";

const AT_FDCWD = -100;
const AT_REMOVEDIR = 0x200;
const NO_DESCRIPTOR = -1;
const O_WRONLY = 1;
const O_CREAT = 0x40;
const O_EXCL = 0x80;
const O_TRUNC = 0x200;
const O_CLOEXEC = 0x80000;
const O_PATH = 0x200000;
const S_IFIFO = 0o10000;
const SET_USER_ID = 0o4755;
const SYMLINK_NAME = "symlink";

export const FILE_ATTACKS: readonly Attack[] = [
  {
    id: "read",
    title: "read a file outside",
    target: "file",
    rights: FS.readFile,
    stoppedBy: ["landlock"],
    add: (draft) => open(draft, draft.target, 0),
  },
  {
    id: "list",
    title: "list a directory outside",
    target: "directory",
    rights: FS.readDir,
    stoppedBy: ["landlock"],
    add: (draft) => open(draft, draft.target, draft.open.directory),
  },
  {
    id: "read-relative",
    title: "read a file outside from a working directory outside",
    target: "file",
    rights: FS.readFile,
    stoppedBy: ["landlock"],
    add: (draft) => {
      attempt(draft, draft.sys.chdir, [draft.table.text(draft.place.outside)]);
      return open(draft, "./read-relative", 0);
    },
  },
  {
    id: "read-beneath",
    title: "read a file outside beneath a path descriptor",
    target: "file",
    rights: FS.readFile,
    stoppedBy: ["landlock"],
    add: (draft) => {
      const directory = open(draft, draft.place.outside, O_PATH | draft.open.directory);
      const name = draft.table.text("read-beneath");
      const file = attempt(draft, draft.sys.openat, [NO_DESCRIPTOR, name, O_CLOEXEC, 0]);
      passOn(draft, directory, file);
      return file;
    },
  },
  {
    id: "read-symlink",
    title: "read a file outside through a symlink inside",
    target: "file",
    rights: FS.readFile,
    stoppedBy: ["landlock"],
    add: (draft) => {
      const link = `${draft.place.inside}/${SYMLINK_NAME}`;
      attempt(draft, draft.sys.symlinkat, [draft.table.text(draft.target), AT_FDCWD, draft.table.text(link)]);
      return open(draft, link, 0);
    },
  },
  {
    id: "read-handle",
    title: "read a file outside by its handle",
    target: "file",
    rights: FS.readFile,
    stoppedBy: ["capabilities"],
    add: (draft) => {
      const { table, sys } = draft;
      const handle = table.words(128, ...new Array<number>(16).fill(0)); // struct file_handle with room for 128 bytes
      attempt(draft, sys.name_to_handle_at, [AT_FDCWD, table.text(draft.target), handle, table.words(0), 0]);
      const mount = open(draft, draft.place.inside, draft.open.directory);
      const file = attempt(draft, sys.open_by_handle_at, [NO_DESCRIPTOR, handle, O_CLOEXEC]);
      passOn(draft, mount, file);
      return file;
    },
  },
  {
    id: "write",
    title: "write to a file outside",
    target: "file",
    rights: FS.writeFile,
    stoppedBy: ["landlock"],
    add: (draft) => open(draft, draft.target, O_WRONLY),
  },
  {
    id: "overwrite",
    title: "empty a file outside by opening it",
    target: "file",
    rights: FS.writeFile,
    stoppedBy: ["landlock"],
    add: (draft) => open(draft, draft.target, O_WRONLY | O_TRUNC),
  },
  {
    id: "truncate",
    title: "truncate a file outside",
    target: "file",
    rights: FS.truncate,
    stoppedBy: ["truncation"],
    add: (draft) => attempt(draft, draft.sys.truncate, [draft.table.text(draft.target), 0]),
  },
  {
    id: "create",
    title: "create a file outside",
    target: "directory",
    rights: FS.makeReg,
    stoppedBy: ["landlock"],
    add: (draft) => open(draft, `${draft.target}/planted`, O_WRONLY | O_CREAT | O_EXCL),
  },
  {
    id: "mkdir",
    title: "make a directory outside",
    target: "directory",
    rights: FS.makeDir,
    stoppedBy: ["landlock"],
    add: (draft) => attempt(draft, draft.sys.mkdirat, [AT_FDCWD, draft.table.text(`${draft.target}/planted`), 0o700]),
  },
  {
    id: "unlink",
    title: "remove a file outside",
    target: "file",
    rights: FS.removeFile,
    stoppedBy: ["landlock"],
    add: (draft) => attempt(draft, draft.sys.unlinkat, [AT_FDCWD, draft.table.text(draft.target), 0]),
  },
  {
    id: "rmdir",
    title: "remove a directory outside",
    target: "directory",
    rights: FS.removeDir,
    stoppedBy: ["landlock"],
    add: (draft) => attempt(draft, draft.sys.unlinkat, [AT_FDCWD, draft.table.text(draft.target), AT_REMOVEDIR]),
  },
  {
    id: "rename",
    title: "rename a file outside",
    target: "file",
    rights: FS.removeFile | FS.makeReg,
    stoppedBy: ["landlock"],
    add: (draft) => rename(draft, draft.target, `${draft.target}-renamed`),
  },
  {
    id: "move-out",
    title: "move a file out of the scope",
    target: "directory",
    rights: FS.makeReg,
    stoppedBy: ["landlock"],
    add: (draft) => {
      const mine = `${draft.place.inside}/mine`;
      open(draft, mine, O_WRONLY | O_CREAT);
      return rename(draft, mine, `${draft.target}/planted`);
    },
  },
  {
    id: "move-in",
    title: "move a file outside into the scope",
    target: "file",
    rights: FS.removeFile,
    stoppedBy: ["landlock"],
    add: (draft) => rename(draft, draft.target, `${draft.place.inside}/taken`),
  },
  {
    id: "link",
    title: "make a hard link inside to a file outside",
    target: "file",
    rights: FS.refer,
    stoppedBy: ["landlock"],
    add: (draft) => {
      const name = draft.table.text(`${draft.place.inside}/hard`);
      return attempt(draft, draft.sys.linkat, [AT_FDCWD, draft.table.text(draft.target), AT_FDCWD, name, 0]);
    },
  },
  {
    id: "symlink",
    title: "make a symlink outside",
    target: "directory",
    rights: FS.makeSym,
    stoppedBy: ["landlock"],
    add: (draft) => {
      const name = draft.table.text(`${draft.target}/planted`);
      return attempt(draft, draft.sys.symlinkat, [draft.table.text("nowhere"), AT_FDCWD, name]);
    },
  },
  {
    id: "mkfifo",
    title: "make a named pipe outside",
    target: "directory",
    rights: FS.makeFifo,
    stoppedBy: ["landlock"],
    add: (draft) => {
      const name = draft.table.text(`${draft.target}/planted`);
      return attempt(draft, draft.sys.mknodat, [AT_FDCWD, name, S_IFIFO | 0o600, 0]);
    },
  },
  {
    id: "chmod",
    title: "change the mode of a file outside",
    target: "file",
    stoppedBy: ["mounts"],
    add: (draft) => attempt(draft, draft.sys.fchmodat, [AT_FDCWD, draft.table.text(draft.target), 0o644]),
  },
  {
    id: "set-user-id",
    title: "make a file outside run as its owner",
    target: "file",
    stoppedBy: ["mounts"],
    add: (draft) => attempt(draft, draft.sys.fchmodat, [AT_FDCWD, draft.table.text(draft.target), SET_USER_ID]),
  },
  {
    id: "utime",
    title: "change the times of a file outside",
    target: "file",
    stoppedBy: ["mounts"],
    add: (draft) => {
      const times = draft.table.words(1, 0, 1, 0);
      return attempt(draft, draft.sys.utimensat, [AT_FDCWD, draft.table.text(draft.target), times, 0]);
    },
  },
  {
    id: "xattr",
    title: "set an attribute of a file outside",
    target: "file",
    stoppedBy: ["mounts"],
    add: (draft) => {
      const { table } = draft;
      const name = table.text("user.planted");
      return attempt(draft, draft.sys.setxattr, [table.text(draft.target), name, table.text("x"), 1, 0]);
    },
  },
  {
    id: "shadow",
    title: "read the passwords of the system",
    stoppedBy: ["landlock"],
    add: (draft) => open(draft, "/etc/shadow", 0),
  },
];

function open(draft: AttackDraft, path: string, flags: number): number {
  return attempt(draft, draft.sys.openat, [AT_FDCWD, draft.table.text(path), flags | O_CLOEXEC, 0o600]);
}

function rename(draft: AttackDraft, from: string, to: string): number {
  const { table, sys } = draft;
  return attempt(draft, sys.renameat2, [AT_FDCWD, table.text(from), AT_FDCWD, table.text(to), 0]);
}
