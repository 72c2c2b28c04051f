/** X, continued: sockets that load modules, what is left to see and to hold, and what only namespaces keep. */
import { until } from "../../_support/deadline.ts";
import { exists } from "../../_support/workbench.ts";
import { BOTH, ORDINARY, type Place, python, type Row, type Scene, SYSTEM_CALL, type Way } from "../frame/attack.ts";
import { lacking, withoutAttributes } from "../frame/machine.ts";
import { STOPPED } from "../our_server/next_server.ts";
import { driven, together } from "../frame/stage.ts";
import { withoutNamespaces } from "../means/unusual_start.ts";

/** Family, type and protocol of sockets, and whether they are made in pairs. */
const SOCKETS: Readonly<Record<string, readonly [family: number, type: number, protocol: number, pairs?: "pairs"]>> = {
  "UDP-Lite": [2, 2, 136],
  "UDP-Lite, IPv6": [10, 2, 136],
  "SCTP": [2, 1, 132],
  "SMC": [2, 1, 256],
  "vsock": [40, 1, 0],
  "netlink audit": [16, 3, 9],
  "netlink diagnosis": [16, 3, 4],
  "netlink generic": [16, 3, 16],
  "a pair of TIPC": [30, 1, 0, "pairs"],
  "packets of TIPC": [30, 5, 0, "pairs"],
};

/** Tells which of them are made. */
const MAKES_SOCKETS = `import ctypes, socket
libc = ctypes.CDLL(None)
for name, (family, type, protocol, *pairs) in ${JSON.stringify(SOCKETS)}.items():
  if pairs: made = libc.socketpair(family, type, 0, (ctypes.c_int * 2)()) == 0
  else: made = libc.socket(family, type, protocol) >= 0
  if made: print("made", name)
print("all tried")`;

async function makesSockets(scene: Scene): Promise<string | undefined> {
  const { text } = await scene.running.shell(python(MAKES_SOCKETS));
  if (!text.includes("all tried")) throw new Error(`It did not try all: ${text}`);
  const tried = scene.enforced ? Object.keys(SOCKETS) : await socketsHere();
  return await together(scene, Object.fromEntries(tried.map((name) => [name, name])), (name) => {
    return Promise.resolve(text.split("\n").find((line) => line === `made ${name}`));
  });
}

/** Those that this kernel has, as far as the user of the test can tell. */
async function socketsHere(): Promise<readonly string[]> {
  const { stdout } = await new Deno.Command("/usr/bin/python3", { args: ["-IS", "-c", MAKES_SOCKETS] }).output();
  return Array.from(new TextDecoder().decode(stdout).matchAll(/^made (.+)$/gm), ([, name = ""]) => name);
}

/** A file that commands may read, and its owner wants to change. */
const READABLE = "/etc/hosts";

const LOCKS: Readonly<Record<string, Way>> = {
  "flock": {
    does: () =>
      python(`import fcntl, os
fcntl.flock(os.open("${READABLE}", os.O_RDONLY), fcntl.LOCK_SH | fcntl.LOCK_NB)
print("locked", 6 * 7)`),
    evidence: /^locked 42$/m,
  },
};

const TABLES: Readonly<Record<string, Way>> = Object.fromEntries(
  ["/proc/net/tcp", "/proc/net/unix", "/proc/cmdline", "/proc/meminfo"].map((path) => [path, {
    does: () => `head -c 1 ${path} | wc -c | sed 's/^/shown /'`,
    evidence: /^shown 1$/m,
    needs: { machine: () => lacking(path) },
  }]),
);

/** What no result tells of: it is there for as long as the command wants. */
const SHORT_LIVED: Readonly<Record<string, Way>> = {
  ".vscode": {
    does: driven(async ({ running, scope, directory }) => {
      const line = `mkdir .vscode; echo {} > .vscode/tasks.json; mkfifo -m 666 ${directory}/seen; ` +
        `touch ${directory}/made; read x < ${directory}/seen; rm -r .vscode`;
      const answering = running.shell(line);
      await until(() => exists(`${directory}/made`), 20_000, "the file");
      const there = (await Deno.stat(`${scope}/.vscode/tasks.json`)).isFile;
      await Deno.writeTextFile(`${directory}/seen`, "x\n");
      const told = JSON.stringify((await answering).result).includes("protected_changed");
      return there && !told ? "it was there, and no result told of it" : undefined;
    }),
  },
};

function attribute({ secret }: Place): string {
  return python(`import os\nos.setxattr("${secret}", "user.planted", b"x")`);
}

export const MORE_OF_OUR_OWN: readonly Row[] = [
  {
    id: "X10",
    title: "sockets of rare families and protocols, alone and in pairs",
    users: BOTH,
    aim: "evidence",
    ways: { [Object.keys(SOCKETS).join("; ")]: { does: driven(makesSockets) } },
  },
  { id: "X11", title: "hold a lock on a file outside that may be read", users: BOTH, aim: "evidence", ways: LOCKS },
  { id: "X12", title: "read what the kernel shows of the whole machine", users: BOTH, aim: "evidence", ways: TABLES },
  {
    id: "X13",
    title: "a protected path that is gone again before the end",
    users: BOTH,
    alikeForRoot: "the server looks while the command runs",
    aim: "evidence",
    ways: SHORT_LIVED,
  },
  {
    id: "X14",
    title: "without namespaces: choose the processors of a process outside",
    users: ORDINARY,
    aim: "victim",
    ways: {
      "sched_setaffinity": withoutNamespaces({
        victim: true,
        does: ({ victim }) =>
          python(`import os\nos.sched_setaffinity(${victim}, [sorted(os.sched_getaffinity(${victim}))[0]])`),
        needs: { machine: () => navigator.hardwareConcurrency > 1 ? undefined : "there is one processor" },
      }),
    },
  },
  {
    id: "X15",
    title: "without namespaces: change modes, times and attributes of own files outside",
    users: BOTH,
    aim: "write",
    ways: {
      "chmod": withoutNamespaces({ does: ({ secret }) => `chmod 777 ${secret}` }),
      "touch": withoutNamespaces({ does: ({ secret }) => `touch -d @1 ${secret}` }),
      "attributes": withoutNamespaces({ does: attribute, needs: { machine: withoutAttributes } }),
    },
  },
  {
    id: "X18",
    title: "without namespaces: see the metadata of files outside, and watch a directory",
    users: BOTH,
    aim: "evidence",
    ways: {
      "stat": withoutNamespaces({
        does: ({ secret }) => `stat -c 'size %s' ${secret}`,
        evidence: /^size 37$/m,
      }),
      "inotify": withoutNamespaces({
        does: ({ out }) =>
          python(`import ctypes
libc = ctypes.CDLL(None)
print("watches:", 41 + libc.inotify_add_watch(libc.inotify_init1(0), b"${out}", 0x100))`),
        evidence: /^watches: 42$/m,
      }),
    },
  },
  {
    id: "X17",
    title: "leave files that keep the next server from starting",
    users: BOTH,
    alikeForRoot: "the server reads what was left, before any command",
    aim: "evidence",
    ways: STOPPED,
  },
  {
    id: "X16",
    title: "message queues and semaphores of others",
    users: BOTH,
    aim: "evidence",
    ways: {
      "POSIX queue": queue({}),
      "POSIX queue, without namespaces": queue(withoutNamespaces({ does: () => "true" })),
      "System V queue": systemV("msgget(KEY, 0o1666)", "msgget(KEY, 0)", "msgctl(MADE, 0, None)"),
      "System V semaphores": systemV("semget(KEY, 1, 0o1666)", "semget(KEY, 1, 0)", "semctl(MADE, 0, 0, 0)"),
    },
  },
];

/** A queue outside, of the same user; whether a command can open it. */
function queue(more: Partial<Way>): Way {
  const name = ({ out }: Place) => `/q${out.slice(-20).replaceAll(/[^0-9a-zA-Z]/g, "")}`;
  return {
    ...more,
    does: (place) =>
      python(`${SYSTEM_CALL}
NUMBERS.update({"mq_open": (240, 180), "mq_unlink": (241, 181)})
fd, error = call("mq_open", b"${name(place).slice(1)}", os.O_CREAT | os.O_RDWR, 0o600, None)
call("mq_unlink", b"${name(place).slice(1)}")
# One that is made in a namespace of one's own reaches no other process.
if fd >= 0 and os.readlink("/proc/self/ns/ipc") == "IPC": print("queued", 6 * 7)`.replace("IPC", ipcOfThis())),
    evidence: /^queued 42$/m,
  };
}

function ipcOfThis(): string {
  const { stdout } = new Deno.Command("readlink", { args: ["/proc/self/ns/ipc"] }).outputSync();
  return new TextDecoder().decode(stdout).trim();
}

/** An object made outside by its number; removed at the end. */
function systemV(make: string, open: string, remove: string): Way {
  const key = (place: Place) => parseInt(place.out.slice(-12).replaceAll(/[^0-9]/g, "") || "7") % 1_000_000 + 7;
  const run = (code: string) => {
    const args = ["-IS", "-c", `import ctypes\nlibc = ctypes.CDLL(None)\nprint(${code})`];
    return new TextDecoder().decode(new Deno.Command("/usr/bin/python3", { args }).outputSync().stdout).trim();
  };
  return {
    prepare: (place) => {
      const made = run(`libc.${make.replace("KEY", String(key(place)))}`);
      return () => void run(`libc.${remove.replace("MADE", made)}`);
    },
    does: (place) =>
      python(`import ctypes
if ctypes.CDLL(None).${open.replace("KEY", String(key(place)))} >= 0: print("attached", 6 * 7)`),
    evidence: /^attached 42$/m,
    needs: { machine: () => lacking("/proc/sysvipc/msg") },
  };
}
