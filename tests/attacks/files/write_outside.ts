/** W: writing outside the scope. */
import { BOTH, type NotApplicable, type Place, python, ROOT, type Row } from "../frame/attack.ts";
import { withDaemon } from "../means/daemon.ts";
import { lacking, withoutAttributes } from "../frame/machine.ts";
import { toTheTop } from "../means/outside_tree.ts";
import { WRITE_WITH_PROGRAMS } from "./write_with_programs.ts";

const MACOS: NotApplicable = {
  id: "W09",
  title: "case variants of protected names",
  notApplicable: "macOS only: needs a file system that ignores case",
};

/** A directory of the user elsewhere, as another program's; gone after the attempt. */
function foreign(base: string) {
  const at = ({ out }: Place) => `${base}/ahma-foreign-${out.slice(1).replaceAll("/", "-")}`;
  return {
    at,
    prepare: (place: Place, give: (path: string) => void) => {
      Deno.mkdirSync(at(place));
      give(at(place));
      return () => Deno.removeSync(at(place), { recursive: true });
    },
    watch: (place: Place) => [at(place)],
  };
}

/** Something in the home that must stay as it is. */
function inHome(path: string) {
  const watch = ({ home }: Place) => [`${home}/${path}`];
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  return { watch, does: () => `mkdir -p ~/${folder} && echo 'echo planted' >> ~/${path}` };
}

/** Opens for writing, and writes nothing: harmless where it works. */
function opens(path: string): string {
  return python(`import os\nfd = os.open("${path}", os.O_WRONLY)\nprint("open for writing:", 6 * 7)`);
}
const OPENED = /open for writing: 42/;

/** Where version 2 of control groups is mounted, with or beside version 1: the lists of processes at the top. */
const GROUP_LISTS = ["/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/unified/cgroup.procs"];

const OUTSIDER = "/var/tmp";
const SHARED_MEMORY = "/dev/shm";

export const WRITE_OUTSIDE: readonly Row[] = [
  {
    id: "W01",
    title: "make a file outside",
    users: BOTH,
    aim: "write",
    ways: {
      "a redirection": ({ out }) => `echo x > ${out}/new`,
      "a relative path": ({ out }) => `cd / && echo x > .${out}/new`,
      "a child in a session of its own": ({ out }) => `setsid --wait sh -c 'echo x > ${out}/new' & wait`,
      "touch": ({ out }) => `touch ${out}/new`,
    },
  },
  {
    id: "W02",
    title: "append to or empty a file outside",
    users: BOTH,
    aim: "write",
    ways: {
      "append": ({ secret }) => `echo x >> ${secret}`,
      "empty by redirection": ({ secret }) => `: > ${secret}`,
      "truncate": ({ secret }) => `truncate -s 0 ${secret}`,
      "O_TRUNC without write": ({ secret }) => python(`import os\nos.open("${secret}", os.O_RDONLY | os.O_TRUNC)`),
      "overwrite in place": ({ secret }) => `printf x 1<> ${secret}`,
    },
  },
  {
    id: "W03",
    title: "make and remove directories and files outside",
    users: BOTH,
    aim: "write",
    ways: {
      "mkdir": ({ out }) => `mkdir ${out}/made`,
      "rmdir": ({ out }) => `rmdir ${out}/empty`,
      "rm": ({ secret }) => `rm -f ${secret}`,
      "rm -r": ({ out }) => `rm -rf ${out}`,
    },
  },
  {
    id: "W04",
    title: "move into, out of and within a tree outside",
    users: BOTH,
    aim: "write",
    ways: {
      "within": ({ out }) => `mv ${out}/secret ${out}/other`,
      "out": ({ secret }) => `mv ${secret} stolen`,
      "in": ({ out }) => `echo x > mine; mv mine ${out}/planted`,
      "exchange": ({ secret }) =>
        `echo x > mine; ${
          python(`import ctypes\nprint(ctypes.CDLL(None).renameat2(-100, b"mine", -100, b"${secret}", 2))`)
        }`,
    },
  },
  {
    id: "W05",
    title: "make links and special files outside",
    users: BOTH,
    aim: "write",
    ways: {
      "hard link": ({ out }) => `echo x > mine; ln mine ${out}/hard`,
      "symbolic link": ({ out }) => `ln -s anywhere ${out}/soft`,
      "fifo": ({ out }) => `mkfifo ${out}/fifo`,
      "mknod": ({ out }) => `mknod ${out}/node p`,
      "unix socket": ({ out }) => python(`import os, socket\nos.chdir("${out}")\nsocket.socket(1).bind("bound")`),
    },
  },
  {
    id: "W06",
    title: "O_TMPFILE outside, then a name for it",
    users: BOTH,
    aim: "write",
    ways: {
      "linkat": ({ out }) =>
        python(`import os
fd = os.open("${out}", os.O_TMPFILE | os.O_RDWR, 0o600)
here = os.open(".", os.O_RDONLY)
os.link(f"/proc/self/fd/{fd}", "${out}/named", src_dir_fd=here, follow_symlinks=True)`),
      "a file of the scope": ({ out }) =>
        python(`import os
fd = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600)
here = os.open(".", os.O_RDONLY)
os.link(f"/proc/self/fd/{fd}", "${out}/named", src_dir_fd=here, follow_symlinks=True)`),
    },
  },
  {
    id: "W07",
    title: "write along the links of /proc and /dev/fd",
    users: BOTH,
    aim: "write",
    ways: {
      "/proc/self/root": ({ out }) => `echo x > /proc/self/root${out}/new`,
      "/proc/self/cwd": ({ out }) => `echo x > /proc/self/cwd/${toTheTop(out)}/new`,
      "/dev/fd": ({ out }) => `exec 9< . && echo x > /dev/fd/9/${toTheTop(out)}/new`,
      "/proc/thread-self": ({ out }) => `echo x > /proc/thread-self/root${out}/new`,
      "the parent's root": ({ out }) => `sh -c 'echo x > /proc/$PPID/root${out}/new'`,
      "process 1's root": {
        does: ({ out }) => `echo x > /proc/1/root${out}/new`,
        control: ({ out }) => `echo x > /proc/$$/root${out}/new`,
      },
    },
  },
  {
    id: "W08",
    title: "a directory whose name begins like the scope's",
    users: BOTH,
    aim: "write",
    ways: {
      "a shell line": {
        does: ({ scope }) => `echo x > ${scope}-line/planted`,
        prepare: ({ scope }, give) => makeSibling(`${scope}-line`, give),
        watch: ({ scope }) => [`${scope}-line`],
      },
      "as the working directory": {
        does: ({ scope }) => [{
          tool: "sandboxed_shell",
          arguments: { command: "echo x > planted", working_directory: `${scope}-call`, execution_mode: "Synchronous" },
        }],
        control: ({ scope }) => `cd ${scope}-call && echo x > planted`,
        prepare: ({ scope }, give) => makeSibling(`${scope}-call`, give),
        watch: ({ scope }) => [`${scope}-call`],
      },
    },
  },
  MACOS,
  WRITE_WITH_PROGRAMS,
  {
    id: "W11",
    title: "change mode, times and attributes of own files outside",
    users: BOTH,
    aim: "write",
    ways: {
      "chmod": ({ secret }) => `chmod 777 ${secret}`,
      "touch": ({ secret }) => `touch -d @1 ${secret}`,
      "utime of a directory": ({ out }) => `touch -d @1 ${out}`,
      "setxattr": {
        does: ({ secret }) => python(`import os\nos.setxattr("${secret}", "user.planted", b"x")`),
        needs: { machine: withoutAttributes },
      },
      "fchmod over a descriptor for reading": ({ out }) =>
        python(`import os\nos.fchmod(os.open("${out}/directory", os.O_RDONLY), 0o777)`),
      "chmod over /proc/self/fd and O_PATH": ({ secret }) =>
        python(`import os\nfd = os.open("${secret}", os.O_PATH)\nos.chmod(f"/proc/self/fd/{fd}", 0o777)`),
    },
  },
  {
    id: "W12",
    title: "root: make a program outside setuid, or another's",
    users: ROOT,
    aim: "write",
    ways: {
      "setuid": ({ out }) => `chmod 4755 ${out}/script`,
      "chown": ({ out }) => `chown 1:1 ${out}/script`,
      "file capabilities": {
        does: ({ out }) =>
          python(`import os, struct
os.setxattr("${out}/script", "security.capability", struct.pack("<IIIII", 0x02000001, 0xffffffff, 0, 0xffffffff, 0))`),
        needs: { machine: withoutAttributes },
      },
    },
  },
  {
    id: "W13",
    title: "write into shared temporary places and another session's",
    users: BOTH,
    aim: "write",
    ways: {
      "/tmp": { ...foreign("/tmp"), does: (place) => `echo x > ${foreign("/tmp").at(place)}/planted` },
      "the directory above": ({ out }) => `echo x > ${out}/../planted-$$ && mv ${out}/../planted-$$ ${out}/planted`,
      "/var/tmp": { ...foreign(OUTSIDER), does: (place) => `echo x > ${foreign(OUTSIDER).at(place)}/planted` },
      "/dev/shm": {
        ...foreign(SHARED_MEMORY),
        does: (place) => `echo x > ${foreign(SHARED_MEMORY).at(place)}/planted`,
      },
    },
  },
  {
    id: "W14",
    title: "ask a daemon outside to write: cron, or one behind a socket",
    users: BOTH,
    aim: "write",
    ways: {
      "a daemon behind a Unix socket": {
        does: {
          drive: (scene) =>
            withDaemon(scene, {
              program: `import socket
s = socket.socket(1); s.bind("${scene.out}/directory/daemon"); s.listen(1); print("ready", flush=True)
c, _ = s.accept(); c.recv(1); open("${scene.out}/written-by-daemon", "w").write("x"); c.send(b"x")`,
              attack: python(`import socket
s = socket.socket(1); s.settimeout(5); s.connect("${scene.out}/directory/daemon"); s.send(b"x"); s.recv(1)`),
            }),
        },
        watch: ({ out }) => [`${out}/written-by-daemon`],
      },
      "crontab": {
        does: () => `(crontab -l; echo "# planted $((6 * 7))") | crontab - ; crontab -l`,
        evidence: /# planted 42/,
        noControl: "it would change the crontab of this machine's user",
        needs: { machine: () => "no cron is to be touched on a machine where tests run" },
      },
    },
  },
  {
    id: "W15",
    title: "root: write the kernel's settings",
    users: ROOT,
    aim: "evidence",
    ways: {
      "core_pattern": { does: () => opens("/proc/sys/kernel/core_pattern"), evidence: OPENED },
      "sysrq-trigger": {
        does: () => opens("/proc/sysrq-trigger"),
        evidence: OPENED,
        needs: { machine: () => lacking("/proc/sysrq-trigger") },
      },
      "ip_forward": { does: () => opens("/proc/sys/net/ipv4/ip_forward"), evidence: OPENED },
      "the top of the control groups": {
        does: () => GROUP_LISTS.map(opens).join("\n"),
        evidence: OPENED,
        needs: { machine: () => GROUP_LISTS.every(lacking) ? "this machine has no control groups" : undefined },
      },
      "oom_score_adj of the server": {
        does: ({ server }) => opens(`/proc/${server}/oom_score_adj`),
        evidence: OPENED,
      },
    },
  },
  {
    id: "W16",
    title: "fill the disk with one file",
    users: BOTH,
    aim: "evidence",
    ways: {
      // Sparse: the limit counts bytes of the file, not of the disk.
      "truncate": { does: () => `truncate -s 20G big; stat -c 'size %s' big`, evidence: /^size 2\d{10}$/m },
      "a write far out": {
        does: () => `dd if=/dev/zero of=big bs=1 count=1 seek=20G status=none; stat -c 'size %s' big`,
        evidence: /^size 2\d{10}$/m,
      },
    },
  },
  {
    id: "W17",
    title: "plant commands in the user's start-up files",
    users: BOTH,
    aim: "write",
    ways: Object.fromEntries(
      [".bashrc", ".profile", ".ssh/authorized_keys", ".config/autostart/x.desktop", ".gitconfig", ".bash_logout"]
        .map((path) => [path, inHome(path)]),
    ),
  },
  {
    id: "W18",
    title: "poison the user's caches of package managers",
    users: BOTH,
    aim: "write",
    ways: Object.fromEntries(
      [".cargo/registry/x", ".npm/_cacache/x", ".cache/deno/gen/x", ".cache/pip/x", ".local/lib/python3/x"]
        .map((path) => [path, inHome(path)]),
    ),
  },
];

function makeSibling(path: string, give: (path: string) => void): void {
  Deno.mkdirSync(path);
  give(path);
}
