/** R: reading outside the scope. */
import { BOTH, python, ROOT, type Row, type Scene, SYSTEM_CALL, type Way } from "../frame/attack.ts";
import { holdsStill, serverFiles } from "./server_files.ts";
import { lacking, unopenable, withoutRing } from "../frame/machine.ts";
import { CREDENTIALS } from "../frame/post.ts";
import { readersOfTheServer } from "./planted_files.ts";
import { READ_WITH_PROGRAMS } from "./read_with_programs.ts";
import { readOverRing } from "../means/ring.ts";
import { withOneControl } from "../frame/stage.ts";

/** A file of root alone: read, and a pattern of what is in it printed by no message. */
function systemFile(path: string, evidence: RegExp): Way {
  return { does: () => `cat ${path}; cp ${path} copy; cat copy`, evidence, needs: { machine: () => lacking(path) } };
}

/** Opens for reading, and says so without showing what is in it. */
function opensFile(path: string): Way {
  const program = `import os\nfd = os.open("${path}", os.O_RDONLY | os.O_NONBLOCK)\nprint("open for reading:", 6 * 7)`;
  return {
    does: () => python(program),
    evidence: /open for reading: 42/,
    needs: { machine: () => unopenable(path) },
  };
}

/** The control must read every one. */
function credentials(): Way {
  const line = `cat ${CREDENTIALS.map((path) => `~/'${path}'`).join(" ")}`;
  const readAll = async ({ running, directory }: Scene) => {
    const answer = await running.shell(line, { working_directory: directory });
    const told = answer.text.match(/^mark/gm)?.length;
    if (told !== CREDENTIALS.length) throw new Error(`Without the sandbox ${told} of them are read: ${answer.text}`);
    return { answers: [answer] };
  };
  return { does: () => line, control: { drive: readAll } };
}

const LOADER = `$(ls /lib64/ld-linux-x86-64.so.2 /lib/ld-linux-aarch64.so.1 2>/dev/null | head -n 1)`;

export const READ_OUTSIDE: readonly Row[] = [
  {
    id: "R01",
    title: "read a file outside",
    users: BOTH,
    aim: "read",
    ways: {
      "cat": ({ secret }) => `cat ${secret}`,
      "a redirection": ({ secret }) => `read -r line < ${secret}; echo "$line"`,
      "head": ({ secret }) => `head -n 1 ${secret}`,
      "od": ({ secret }) => `od -An -c ${secret} | tr -d ' \\n'`,
      "base64": ({ secret }) => `base64 ${secret} | base64 -d`,
      "dd": ({ secret }) => `dd if=${secret} status=none`,
      "grep -r": ({ out }) => `grep -r . ${out}`,
      "cp": ({ secret }) => `cp ${secret} stolen`,
      "mmap": ({ secret }) =>
        python(`import mmap\nf = open("${secret}", "rb")\nprint(mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)[:])`),
      "sendfile": ({ secret }) => python(`import os\nos.sendfile(1, os.open("${secret}", 0), 0, 100)`),
      "copy_file_range": ({ secret }) =>
        python(`import os\nos.copy_file_range(os.open("${secret}", 0), os.open("c", os.O_RDWR | os.O_CREAT), 100)`),
      "openat2": ({ secret }) =>
        python(`import ctypes, os, struct
libc = ctypes.CDLL(None)
how = struct.pack("<QQQ", 0, 0, 0)
print(os.read(libc.syscall(ctypes.c_long(437), ctypes.c_long(-100), b"${secret}", how, ctypes.c_long(24)), 100))`),
    },
  },
  {
    id: "R02",
    title: "list a directory outside",
    users: BOTH,
    aim: "read",
    ways: {
      "ls": ({ out }) => `ls ${out}`,
      "find": ({ out }) => `find ${out}`,
      "a pattern": ({ out }) => `echo ${out}/*`,
      "completion": ({ out }) => `compgen -f ${out}/`,
      "listdir": ({ out }) => python(`import os\nprint(os.listdir("${out}"))`),
      "/proc/self/root": ({ out }) => `ls /proc/self/root${out}`,
    },
  },
  {
    id: "R03",
    title: "read credentials in the home",
    users: BOTH,
    aim: "read",
    ways: {
      "each of them": credentials(),
      "all of the home": () => `grep -rs . ~`,
    },
  },
  {
    id: "R04",
    title: "credentials in a scope or a --read that holds the home",
    users: BOTH,
    alikeForRoot: "what covers credentials is the same for every user; root tries it in R03",
    aim: "evidence",
    ways: withOneControl({
      "the home as the scope": holdsStill(({ home }) => ["--sandbox-scope", home]),
      "the home's parent as the scope": holdsStill(({ parent }) => ["--sandbox-scope", parent]),
      "--read of the home": holdsStill(({ home }) => ["--read", home]),
      "--read of the keys": holdsStill(({ home }) => ["--read", `${home}/.ssh`]),
      "--write of the home": holdsStill(({ home }) => ["--write", home]),
    }),
  },
  {
    id: "R05",
    title: "root: read the system's own secrets",
    users: ROOT,
    aim: "evidence",
    ways: {
      "/etc/shadow": systemFile("/etc/shadow", /^\w+:[^:\n]*:\d*:/m),
      "/etc/gshadow": systemFile("/etc/gshadow", /^\w+:[^:\n]*:[^:\n]*:/m),
      "/etc/shadow-": systemFile("/etc/shadow-", /^\w+:[^:\n]*:\d*:/m),
      "/etc/sudoers": systemFile("/etc/sudoers", /^root\s+ALL=/m),
      "a host key": systemFile("/etc/ssh/ssh_host_ed25519_key", /BEGIN OPENSSH PRIVATE KEY/),
      "a TLS key": systemFile("/etc/ssl/private/ssl-cert-snakeoil.key", /BEGIN (RSA )?PRIVATE KEY/),
      "any TLS key": {
        does: () => `head -qn 1 /etc/ssl/private/* /etc/pki/tls/private/* | sed 's/PRIVATE KEY/& of the machine/'`,
        evidence: /PRIVATE KEY of the machine/,
        needs: { machine: () => lacking("/etc/ssl/private/ssl-cert-snakeoil.key") },
      },
      "/root": { does: () => `ls -a /root`, evidence: /^\.(bashrc|profile|cache)$/m },
    },
  },
  {
    id: "R06",
    title: "O_PATH, then the same file again over /proc/self/fd",
    users: BOTH,
    aim: "read",
    ways: {
      "open again": ({ secret }) =>
        python(`import os\nfd = os.open("${secret}", os.O_PATH)\nprint(open(f"/proc/self/fd/{fd}").read())`),
      "from a directory": ({ out }) =>
        python(`import os
fd = os.open("${out}", os.O_PATH)
print(os.read(os.open("secret", os.O_RDONLY, dir_fd=fd), 100))`),
    },
  },
  {
    id: "R07",
    title: "enter a directory outside, then read from there",
    users: BOTH,
    aim: "read",
    ways: {
      "cd": ({ out }) => `cd ${out} && cat secret`,
      "a child that inherits it": ({ out }) => `cd ${out} && sh -c 'cat secret; ls'`,
      "fchdir": ({ out }) => python(`import os\nos.fchdir(os.open("${out}", os.O_PATH))\nprint(open("secret").read())`),
      "pushd": ({ out }) => `pushd ${out}/directory && cat ../secret`,
    },
  },
  {
    id: "R08",
    title: "root: open by file handle",
    users: ROOT,
    aim: "read",
    ways: {
      "name_to_handle_at and open_by_handle_at": ({ secret }) =>
        python(`${SYSTEM_CALL}
import struct
handle = ctypes.create_string_buffer(struct.pack("<Ii", 128, 0) + bytes(128))
mount = ctypes.c_int()
print(call("name_to_handle_at", -100, b"${secret}", handle, ctypes.byref(mount), 0))
for place in (".", "/", "/usr", "${secret}"):
  try: at = os.open(place, os.O_RDONLY)
  except OSError: continue
  fd, error = call("open_by_handle_at", at, handle, os.O_RDONLY)
  print(place, fd, error)
  if fd >= 0: print(os.read(fd, 100)); break`),
    },
  },
  {
    id: "R09",
    title: "open and read over io_uring",
    users: BOTH,
    aim: "read",
    ways: { "OPENAT and READ": { does: ({ secret }) => readOverRing(secret), needs: { machine: withoutRing } } },
  },
  {
    id: "R10",
    title: "run a program that lies outside",
    users: BOTH,
    aim: "read",
    ways: {
      "exec": ({ out }) => `${out}/script`,
      "sh": ({ out }) => `sh ${out}/script`,
      "source": ({ out }) => `. ${out}/script`,
      "the loader": {
        does: ({ out }) => `${LOADER} ${out}/program 'ran %d\\n' 42`,
        prepare: ({ out }, give) => copyFor(give, "/usr/bin/printf", `${out}/program`),
        aim: "evidence",
        evidence: /^ran 42$/m,
      },
      "LD_PRELOAD": {
        does: ({ out }) => `LD_PRELOAD=${out}/library.so cat /dev/null`,
        prepare: ({ out }, give) => compileLibrary(`${out}/library.so`, give),
        aim: "evidence",
        evidence: /^loaded 42$/m,
        needs: { programs: ["gcc"] },
      },
      "an interpreter named by a script": {
        does: ({ out }) => `printf '#!${out}/script\\n' > go; chmod 755 go; ./go`,
      },
      "PYTHONPATH": {
        does: ({ out }) => `PYTHONPATH=${out} /usr/bin/python3 -c 'import planted'`,
        prepare: ({ out }, give) => writeFor(give, `${out}/planted.py`, `print("ran", 6 * 7)\n`),
        aim: "evidence",
        evidence: /^ran 42$/m,
      },
    },
  },
  READ_WITH_PROGRAMS,
  {
    id: "R12",
    title: "take a file outside into a repository",
    users: BOTH,
    aim: "read",
    needs: { programs: ["git"] },
    ways: {
      "core.worktree": ({ out }) =>
        `git init -q && git config core.worktree ${out} && git add secret && git show :secret`,
      "another work tree": ({ out }) => `git init -q && git --work-tree=${out} add secret && git show :secret`,
      "hash-object": ({ secret }) => `git init -q && git cat-file -p "$(git hash-object -w ${secret})"`,
      "alternates": {
        does: ({ out }) =>
          `git init -q && echo ${out}/store/.git/objects > .git/objects/info/alternates && git cat-file -p "$(cat name)"`,
        prepare: ({ out, directory }, give) => makeStore(`${out}/store`, `${out}/secret`, `${directory}/name`, give),
      },
      "a clone": {
        does: ({ out }) =>
          `git -c safe.directory='*' clone -q ${out}/store copy; git -C copy cat-file -p "$(cat name)"`,
        prepare: ({ out, directory }, give) => makeStore(`${out}/store`, `${out}/secret`, `${directory}/name`, give),
      },
    },
  },
  {
    id: "R13",
    title: "ask for the metadata of a file outside",
    users: BOTH,
    aim: "evidence",
    ways: {
      "stat": { does: ({ secret }) => `stat -c 'size %s' ${secret}`, evidence: /^size 37$/m },
      "existence": { does: ({ secret }) => `test -e ${secret} && echo there $((6 * 7))`, evidence: /^there 42$/m },
    },
  },
  {
    id: "R14",
    title: "watch a directory outside",
    users: BOTH,
    aim: "evidence",
    ways: {
      "inotify": {
        does: ({ out }) =>
          python(`import ctypes
libc = ctypes.CDLL(None)
print("watches:", 41 + libc.inotify_add_watch(libc.inotify_init1(0), b"${out}", 0x100))`),
        evidence: /^watches: 42$/m,
      },
      "fanotify": {
        does: ({ out }) =>
          python(`${SYSTEM_CALL}
fd, error = call("fanotify_init", 0x200, 0)
print("watches:", 42 + libc.fanotify_mark(fd, 1, ctypes.c_uint64(0x100), -100, b"${out}"))`),
        evidence: /^watches: 42$/m,
      },
    },
  },
  {
    id: "R15",
    title: "root: read devices, the kernel's memory and its log",
    users: ROOT,
    aim: "evidence",
    ways: {
      "/dev/kmsg": opensFile("/dev/kmsg"),
      "/dev/mem": opensFile("/dev/mem"),
      "/proc/kcore": {
        does: () => `head -c 4 /proc/kcore | tr -d '\\177'; echo`,
        evidence: /^ELF$/m,
        needs: { machine: () => lacking("/proc/kcore") },
      },
      "/dev/vda": opensFile("/dev/vda"),
      "/dev/sda": opensFile("/dev/sda"),
      "/dev/loop0": opensFile("/dev/loop0"),
      "syslog(2)": {
        does: () =>
          python(`${SYSTEM_CALL}
buffer = ctypes.create_string_buffer(4096)
length, error = call("syslog", 3, buffer, 4096)
print("log read" if length > 0 else "nothing", 6 * 7)`),
        evidence: /^log read 42$/m,
      },
    },
  },
  {
    id: "R16",
    title: "read what another session or the server keeps",
    users: BOTH,
    aim: "evidence",
    ways: serverFiles(),
  },
  {
    id: "R17",
    title: "have the server itself read a file for the client",
    users: BOTH,
    aim: "evidence",
    ways: readersOfTheServer(),
  },
];

function writeFor(give: (path: string) => void, path: string, text: string): void {
  Deno.writeTextFileSync(path, text);
  give(path);
}

function copyFor(give: (path: string) => void, from: string, to: string): void {
  Deno.copyFileSync(from, to);
  Deno.chmodSync(to, 0o755);
  give(to);
}

function compileLibrary(path: string, give: (path: string) => void): void {
  const source = `#include <stdio.h>
__attribute__((constructor)) static void begin(void) { printf("loaded %d\\n", 6 * 7); }
`;
  Deno.writeTextFileSync(`${path}.c`, source);
  run(["gcc", "-shared", "-fPIC", "-o", path, `${path}.c`]);
  give(path);
  give(`${path}.c`);
}

/** A repository outside whose one commit holds the secret; `name` gets the name of its object. */
function makeStore(path: string, secret: string, name: string, give: (path: string) => void): void {
  const git = (...words: readonly string[]) => run(["git", "-C", path, ...words]).trim();
  run(["git", "init", "-q", path]);
  run(["cp", secret, `${path}/secret`]);
  git("add", "secret");
  git("-c", "user.name=x", "-c", "user.email=x@example.invalid", "commit", "-qm", "x");
  writeFor(give, name, git("rev-parse", "HEAD:secret"));
  // The owner of the tree owns the repository: git refuses another's.
  run(["chown", "-R", `--reference=${secret}`, path]);
}

function run([command = "", ...args]: readonly string[]): string {
  const { success, stdout, stderr } = new Deno.Command(command, { args: [...args] }).outputSync();
  const text = new TextDecoder();
  if (!success) throw new Error(`${command} failed: ${text.decode(stderr)}`);
  return text.decode(stdout);
}
