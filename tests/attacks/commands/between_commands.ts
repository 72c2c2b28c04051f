/** B: what one command can do to the next one in its sandbox, which the server uses again. */
import type { ServerProcess } from "../../_support/server_process.ts";
import type { Workbench } from "../../_support/workbench.ts";
import { BOTH, python, type Row, type Scene, SYSTEM_CALL, type Way } from "../frame/attack.ts";
import { storm } from "./kill_storm.ts";
import { driven, newSeed, together, withServer } from "../frame/stage.ts";
import { nameOf } from "./shell_sessions.ts";

/** Twice as many as there are sandboxes with a shell: the one that served comes round. */
const LOOKS = 4;
/** In the tests lines are copies of a shell, and the one that served last serves next. */
const BRIEF_LOOKS = 2;

/** What a slow result says after the output. */
const CLOSING_LINE = /\n*\[exit code 0[^\]\n]*\]\s*$/;

/** Has every sandbox serve a command. */
async function served(server: ServerProcess): Promise<void> {
  for (let calls = 0; calls < LOOKS; calls++) await server.shell("true");
}

/** `before` in a sandbox that has served, then `after` until it was there again; gives what each `after` printed. */
async function inTurns(
  server: ServerProcess,
  before: string,
  after: string,
  looks: number = LOOKS,
): Promise<readonly string[]> {
  await server.shell(before);
  const texts: string[] = [];
  for (let look = 0; look < looks; look++) {
    texts.push((await server.shell(after)).text.replace(CLOSING_LINE, "").trimEnd());
  }
  return texts;
}

/** Something that outlives its process: how it is made, seen and removed. */
interface Leftover {
  readonly make: string;
  /** An expression that is true where it is there. */
  readonly see: string;
  readonly remove: string;
}

function leftovers(seed: string): Readonly<Record<string, Leftover>> {
  const key = Number(seed) % 1_000_000 + 7;
  const file = `/dev/shm/ahma-${seed}`;
  return {
    "a file in /dev/shm": {
      make: `open("${file}", "w")`,
      see: `os.path.exists("${file}")`,
      remove: `os.remove("${file}")`,
    },
    "System V shared memory": {
      make: `libc.shmget(${key}, 4096, 0o1600)`,
      see: `libc.shmget(${key}, 0, 0) >= 0`,
      remove: `libc.shmctl(libc.shmget(${key}, 0, 0), 0, None)`,
    },
    "a System V queue": {
      make: `libc.msgget(${key}, 0o1600)`,
      see: `libc.msgget(${key}, 0) >= 0`,
      remove: `libc.msgctl(libc.msgget(${key}, 0), 0, None)`,
    },
    "System V semaphores": {
      make: `libc.semget(${key}, 1, 0o1600)`,
      see: `libc.semget(${key}, 1, 0) >= 0`,
      remove: `libc.semctl(libc.semget(${key}, 1, 0), 0, 0, 0)`,
    },
    "a POSIX queue": {
      make: `libc.mq_open(b"/ahma-${seed}", os.O_CREAT | os.O_RDWR, 0o600, None)`,
      // A command that finds it can remove it, and cannot open it.
      see: `libc.mq_unlink(b"/ahma-${seed}") == 0`,
      remove: `libc.mq_unlink(b"/ahma-${seed}")`,
    },
  };
}

const PRELUDE = "import ctypes, os\nlibc = ctypes.CDLL(None)\n";

/** Every thing by itself: what the server does about one must not hide another. */
function leaving(): Way {
  const line = (code: string) => python(PRELUDE + code);
  return {
    does: driven(async (scene) => {
      const { running: server } = scene;
      await served(server);
      return await together(scene, leftovers(newSeed()), async ({ make, see, remove }) => {
        const looks = !scene.enforced ? 1 : scene.brief ? BRIEF_LOOKS : LOOKS;
        const seen = await inTurns(server, line(make), line(`if ${see}: print("left", 6 * 7)`), looks);
        await server.shell(line(remove));
        return seen.some((text) => text.includes("left 42")) ? "it is there for the next command" : undefined;
      });
    }),
  };
}

/** Bytes that a launcher would write: output in a frame, and the end of a command with code 0 that leaves nothing. */
const FORGED = `import os, struct, time
frame = b"output\\0\\0" + struct.pack("<Q", 4) + b"fake"
end = bytearray(88)
struct.pack_into("<QQ", end, 64, 6, 2)
`;

/** Ways to a descriptor on which an end could be told: one's own, and those of process 1. */
const DESCRIPTORS: Readonly<Record<string, string>> = {
  "on stdout": "out = [1]",
  "on every descriptor": "out = range(64)",
  "on those of process 1": `out = []
for number in (0, 1, 2, 57, 58, 59, 60, 63):
  try: out.append(os.open(f"/proc/1/fd/{number}", os.O_WRONLY))
  except OSError: pass
out.append(1)`,
};

function forging(): Way {
  return {
    does: driven(async (scene) => {
      const { running: server } = scene;
      await served(server);
      return await together(scene, DESCRIPTORS, async (descriptors) => {
        const program = `${FORGED}${descriptors}
for each in (end, frame + end, end[:40], end + end):
  for fd in out:
    try: os.write(fd, bytes(each))
    except OSError: pass
time.sleep(0.05)
print("after", 6 * 7)
raise SystemExit(3)`;
        const forged = await server.shell(python(program));
        const texts = await inTurns(server, python(program), "echo next");
        if (!forged.text.includes("after 42") || !forged.text.includes("3")) return `it ended early: ${forged.text}`;
        return texts.every((text) => text === "next") ? undefined : `then came ${texts.join("; ")}`;
      });
    }),
    noControl: "without the sandbox no end is told among the output",
  };
}

/** What commands inherit from process 1, and system calls that would change it there. */
const INHERITED = `${SYSTEM_CALL}
NUMBERS.update({"ioprio_get": (252, 31), "ioprio_set": (251, 30), "sched_setattr": (314, 274)})
`;
/** A shell's own copy of it, which it tells by itself: programs would cost more. */
const LOOK = `ulimit -aS; ulimit -aH; umask; pwd; export -p
read -r score < /proc/self/oom_score_adj; read -r slack < /proc/self/timerslack_ns; echo "$score $slack"
while read -r line; do case $line in Cpus_allowed:*) echo "$line" ;; esac; done < /proc/self/status
read -ra stat < /proc/self/stat; echo "\${stat[@]:17:2} \${stat[@]:39:2}"; ionice -p $$; echo /dev/shm/* /dev/shm/.[!.]*`;
const CHANGES: Readonly<Record<string, string>> = {
  "its processors": "os.sched_setaffinity(1, {max(os.sched_getaffinity(0))})",
  "its scheduling": "os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0))",
  "its scheduling, by attributes": 'call("sched_setattr", 1, (ctypes.c_uint32 * 14)(56, 5), 0)',
  "its priority": "os.setpriority(os.PRIO_PROCESS, 1, 19)",
  "the priority of its group": "os.setpriority(os.PRIO_PGRP, 0, 19)",
  "its disk priority": 'call("ioprio_set", 1, 1, 3 << 13)',
  "the disk priority of its group": 'call("ioprio_set", 2, 0, 3 << 13)',
  "its limits": "__import__('resource').prlimit(1, 7, (64, 64))",
  "its place when memory runs out": "open('/proc/1/oom_score_adj', 'w').write('0')",
  "its timers": "open('/proc/1/timerslack_ns', 'w').write('1')",
  "its directory, umask and environment": "os.chdir('/'); os.umask(0o77); os.environ['LEFT'] = '1'",
};

/** Every change by itself, as with what is left. */
function changing(): Way {
  return {
    does: driven(async (scene) => {
      const { running: server } = scene;
      await served(server);
      const looks = scene.brief ? BRIEF_LOOKS : LOOKS;
      const [first, ...others] = await inTurns(server, "true", LOOK, looks);
      return await together(scene, { "nothing": "", ...CHANGES }, async (change) => {
        const before = python(`${INHERITED}${change}`);
        const after = change === "" ? others : await inTurns(server, before, LOOK, looks);
        const seen = after.find((text) => text !== first);
        return seen === undefined ? undefined : `the next command has ${seen} instead of ${first}`;
      });
    }),
    noControl: "process 1 is the machine's there",
  };
}

/** A command of another sandbox that keeps descriptors which it is sent, and does with them what it is told. */
const KEEPER = `import array, os, socket
own = socket.socket(socket.AF_UNIX)
own.bind("keeper")
own.listen(9)
open("listens", "w").close()
kept = {}
while True:
  with own.accept()[0] as asked:
    message, sent, _, _ = asked.recvmsg(4096, socket.CMSG_SPACE(64))
    for _, _, data in sent: kept[message.decode()] = array.array("i", data)[0]
    try: answer = None if sent else eval(message)
    except OSError as error: answer = error.strerror
    asked.send(repr(answer).encode())
`;
const TO_KEEPER = `import array, fcntl, os, socket
def keeper(text, fd=None):
  with socket.socket(socket.AF_UNIX) as asked:
    asked.connect("keeper")
    rights = [] if fd is None else [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))]
    asked.sendmsg([text.encode()], rights)
    return asked.recv(4096).decode()
`;

/** Sends the keeper something, which that uses while later commands run; gives what these then do not say as ever. */
async function sendAndUse({ running, directory }: Scene, { before, use }: Sent): Promise<string | undefined> {
  const line = (code: string) => python(`exec(open("to_keeper.py").read())\n${code}`);
  const said = async (command: string) => {
    const { text } = await running.shell(command, { working_directory: directory });
    return text.replace(CLOSING_LINE, "").trimEnd();
  };
  const own = await said(line(`${before}; print("sent")`));
  if (!own.endsWith("sent")) throw new Error(`Nothing was sent: ${own}`);
  const later = Array.from({ length: LOOKS }, () => said("echo next; sleep 0.1; echo done"));
  const using = Array.from({ length: LOOKS }, () => said(line(`print("used", keeper(${JSON.stringify(use)}))`)));
  const [texts, used] = [await Promise.all(later), await Promise.all(using)];
  if (!used.every((text) => /^used ./.test(text) && !text.includes("sleep"))) {
    return `a command says ${used.join("; ")}`;
  }
  return texts.every((text) => text === "next\ndone") ? undefined : `later commands say ${texts.join("; ")}`;
}

interface Sent {
  readonly before: string;
  readonly use: string;
}

function sending(all: readonly Sent[]): Way {
  return {
    does: driven(async (scene) => {
      const { running, directory } = scene;
      await Deno.writeTextFile(`${directory}/keeper.py`, KEEPER);
      await Deno.writeTextFile(`${directory}/to_keeper.py`, TO_KEEPER);
      const keeping = "/usr/bin/python3 -IS keeper.py & until test -e listens; do :; done";
      const session = { session: nameOf(scene), working_directory: directory };
      await running.shell(keeping, session);
      for (const one of all) {
        const seen = await sendAndUse(scene, one);
        if (seen !== undefined) return seen;
      }
      await running.shell("true", { ...session, close: true });
      return undefined;
    }),
    noControl: "without the sandbox each command has processes and a pipe of its own",
  };
}

/** Python: a pipe about which the kernel sends a signal. */
function signalling(owner: string, signal: number): string {
  return `reader, writer = os.pipe(); fcntl.fcntl(reader, fcntl.F_SETOWN, ${owner}); fcntl.fcntl(reader, 10, ${signal}); ` +
    'fcntl.fcntl(reader, fcntl.F_SETFL, os.O_ASYNC); keeper("reader", reader); keeper("writer", writer)';
}

/** What a command sends to one of another sandbox, and what that does then. */
const SENT: readonly Sent[] = [
  {
    before: 'keeper("out", 1)',
    use: `os.write(kept["out"], b"forged\\noutput\\0\\0" + bytes([4] + [0] * 7) + b"fake" + bytes(88))`,
  },
  { before: signalling("-os.getpgrp()", 9), use: 'os.write(kept["writer"], b"x")' },
  { before: signalling("1", 15), use: 'os.write(kept["writer"], b"x")' },
  {
    before: 'keeper("proc", os.open("/proc", os.O_RDONLY))',
    use: `[open(os.open(f"{one}/cmdline", 0, dir_fd=kept["proc"])).read() for one in os.listdir(kept["proc"]) ` +
      "if one.isdigit()]",
  },
];

function stormOf(kills: number): Way {
  return {
    does: driven((scene) => withServer(scene, {}, (server, bench: Workbench) => storm(server, bench, kills))),
    noControl: "it is about results, not about rights",
  };
}

/** Reads what only a tracer may of process 1, which a line's shell is a copy of, and of that shell; then signals the first. */
const ON_SHELL = `import os
def reached(pid):
  done = []
  for name in ("maps", "environ", "mem"):
    try:
      with open(f"/proc/{pid}/{name}", "rb"): done.append(name)
    except OSError: pass
  for number in (0, 1, 63):
    try: done.append(os.readlink(f"/proc/{pid}/fd/{number}"))
    except OSError: pass
  return done
print("of the shell", "maps" in reached(os.getppid()), "of process 1", reached(1))
for number in range(1, 65):
  try: os.kill(1, number)
  except OSError: pass
print("still", 6 * 7)`;

async function reachesShell(server: ServerProcess): Promise<string | undefined> {
  // The shell stays while there is more to do.
  const texts = await inTurns(server, "true", `${python(ON_SHELL)}\necho next`);
  if (!texts[0]?.includes("of the shell True")) throw new Error(`A shell cannot be looked at: ${texts[0]}`);
  const seen = texts.find((text) => !text.endsWith("of process 1 []\nstill 42\nnext"));
  return seen === undefined ? undefined : `a line says ${seen}`;
}

/** Counts a word in the memory of the line's own shell; the line holds the word in two parts. */
function searching(before: string, seed: string): string {
  return `${before}exec 8</proc/$$/maps 9</proc/$$/mem\n${
    python(`import os
word, found = b"wo" + b"rd${seed}", 0
for line in open(8):
  begin, end = (int(part, 16) for part in line.split()[0].split("-"))
  try: found += os.pread(9, end - begin, begin).count(word)
  except (OSError, OverflowError): pass
print("found", found)`)
  }\ntrue`;
}

async function remembers(server: ServerProcess): Promise<string | undefined> {
  const seed = newSeed();
  const control = await server.shell(searching(`x=wo; x+=rd${seed}; `, seed));
  if (!/found [1-9]/.test(control.text)) throw new Error(`Nothing is found at all: ${control.text}`);
  const before = `echo word${seed}; : ${"more ".repeat(900)}word${seed}`;
  const seen = (await inTurns(server, before, searching("", seed))).find((text) => !text.endsWith("found 0"));
  return seen === undefined ? undefined : `a later line says ${seen}`;
}

/** One after the other: each has the server's sandboxes take turns. */
function lookingAtShell(): Way {
  return {
    does: driven(async ({ running }) => {
      await served(running);
      return await reachesShell(running) ?? await remembers(running);
    }),
    noControl: "without the sandbox process 1 is the machine's, and each command has a shell of its own",
  };
}

export const BETWEEN_COMMANDS: readonly Row[] = [
  {
    id: "B01",
    title: "leave something for the next command in the same sandbox",
    users: BOTH,
    alikeForRoot: "the launcher asks the kernel what is left, from root as from others",
    aim: "evidence",
    ways: { "files, shared memory, queues and semaphores": leaving() },
  },
  {
    id: "B02",
    title: "forge the end of a command",
    users: BOTH,
    alikeForRoot: "output is counted, root's as that of others",
    aim: "evidence",
    ways: { "on stdout, on every descriptor and on those of process 1": forging() },
  },
  {
    id: "B03",
    title: "change what the next command inherits from process 1",
    users: BOTH,
    aim: "evidence",
    ways: { "what it runs with, its limits, directory and environment": changing() },
  },
  {
    id: "B04",
    title: "get the result of another command, or run twice, when sandboxes and shells are killed at random moments",
    users: BOTH,
    alikeForRoot: "the protocol between server and launcher is the same",
    aim: "evidence",
    ways: { "100 kills": stormOf(100), "2,000 kills": { ...stormOf(2_000), extended: "races" } },
  },
  {
    id: "B05",
    title: "reach the next command in the same sandbox through what was sent to another one",
    users: BOTH,
    alikeForRoot: "the ends of a pipe, Landlock's domains and process namespaces are the same for root",
    aim: "evidence",
    ways: { "its stdout, pipes that signal its group and process 1, its list of processes": sending(SENT) },
  },
  {
    id: "B06",
    title: "reach the shell that lines are copies of, or the line before",
    users: BOTH,
    alikeForRoot: "the copy alone is in a Landlock domain, root's too",
    aim: "evidence",
    ways: { "its memory, descriptors, signals; what the last line left in memory": lookingAtShell() },
  },
];
