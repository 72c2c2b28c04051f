/** P: /proc, other processes' memory, and descriptors. */
import { BOTH, type Place, python, ROOT, type Row, SYSTEM_CALL, type Way } from "../frame/attack.ts";
import { facing } from "../means/network_ways.ts";
import { framesInto, otherOperation, withALeak } from "./server_streams.ts";
import { lacking } from "../frame/machine.ts";

/** Python: `done(what)` prints what only success can print. */
const DONE = `def done(what): print(what, 6 * 7, flush=True)\n`;

/** An attack on a process by its number: on the server, with an innocent one in its place for the control. */
function onServer(program: (pid: number) => string, evidence: RegExp): Way {
  const run = (pid: number) => python(`${SYSTEM_CALL}${DONE}${program(pid)}`);
  return {
    victim: true,
    does: ({ server }) => run(server),
    control: ({ victim }) => run(victim),
    evidence,
  };
}

/** The same on the victim, inside and in the control. */
function onVictim(program: (pid: number) => string, evidence: RegExp): Way {
  return { victim: true, does: ({ victim }) => python(`${SYSTEM_CALL}${DONE}${program(victim)}`), evidence };
}

function seize(pid: number): string {
  return `
for task in os.listdir("/proc/${pid}/task"):
  result, error = call("ptrace", 0x4206, int(task), 0, 0)
  if result == 0: done("seized")
`;
}

function seizeBlind(pid: number): string {
  return `
for task in range(${pid}, ${pid} + 40):
  result, error = call("ptrace", 0x4206, task, 0, 0)
  if result == 0: done("seized")
`;
}

function readMemory(pid: number): string {
  return `
into = ctypes.create_string_buffer(8)
local = (ctypes.c_void_p * 2)(ctypes.addressof(into), 8)
start = int(open("/proc/${pid}/maps").readline().split("-")[0], 16)
remote = (ctypes.c_void_p * 2)(start, 8)
result, error = call("process_vm_readv", ${pid}, local, 1, remote, 1, 0)
if result == 8: done("memory read")
`;
}

function openMemory(pid: number): string {
  return `
os.open("/proc/${pid}/mem", os.O_RDWR)
done("memory open")
`;
}

function takeDescriptor(pid: number): string {
  return `
pidfd, error = call("pidfd_open", ${pid}, 0)
fd, error = call("pidfd_getfd", pidfd, 0, 0)
if fd >= 0: done("descriptor taken")
`;
}

function compare(pid: number): string {
  return `
result, error = call("kcmp", os.getpid(), ${pid}, 1, 0, 0)
if result >= 0: done("compared")
`;
}

function performance(pid: number): string {
  return `
import struct
attributes = struct.pack("<IIQ", 1, 128, 0) + bytes(112)
fd, error = call("perf_event_open", attributes, ${pid}, -1, -1, 0)
if fd >= 0: done("events open")
`;
}

export const PROC: readonly Row[] = [
  {
    id: "P01",
    title: "the environment of the server and of others",
    users: BOTH,
    aim: "read",
    ways: {
      "of the server": ({ server }) => `tr '\\0' '\\n' < /proc/${server}/environ`,
      "of a process outside": { victim: true, does: ({ victim }) => `tr '\\0' '\\n' < /proc/${victim}/environ` },
      "of the parent": {
        does: ({ server }) => `cat /proc/$PPID/environ /proc/${server}/environ | tr '\\0' '\\n'`,
      },
    },
  },
  {
    id: "P02",
    title: "the memory of the server",
    users: BOTH,
    aim: "evidence",
    ways: {
      "/proc/PID/mem": onServer(openMemory, /^memory open 42$/m),
      "/proc/PID/maps": {
        does: ({ server }) => `head -n 1 /proc/${server}/maps`,
        evidence: /^[0-9a-f]{8,}-[0-9a-f]{8,} /m,
      },
      "of a process outside": onVictim(openMemory, /^memory open 42$/m),
    },
  },
  {
    id: "P03",
    title: "forge messages in the server's streams",
    users: BOTH,
    aim: "evidence",
    ways: framesInto(),
  },
  {
    id: "P04",
    title: "trace the server, every thread of it",
    users: BOTH,
    aim: "evidence",
    ways: {
      "PTRACE_SEIZE by /proc": onServer(seize, /^seized 42$/m),
      "PTRACE_SEIZE by number": {
        ...onServer(seizeBlind, /^seized 42$/m),
        // Not what else has such a number on this machine.
        control: ({ victim }) => python(`${SYSTEM_CALL}${DONE}${seize(victim)}`),
      },
      "a process outside": onVictim(seize, /^seized 42$/m),
    },
  },
  {
    id: "P05",
    title: "read the server's memory and take its descriptors by system call",
    users: BOTH,
    aim: "evidence",
    ways: {
      "process_vm_readv": onServer(readMemory, /^memory read 42$/m),
      "pidfd_getfd": onServer(takeDescriptor, /^descriptor taken 42$/m),
      "kcmp": onServer(compare, /^compared 42$/m),
      "pidfd_getfd of a process outside": onVictim(takeDescriptor, /^descriptor taken 42$/m),
    },
  },
  {
    id: "P06",
    title: "kill threads of the server and of others",
    users: BOTH,
    aim: "victim",
    ways: {
      "tgkill": {
        victim: true,
        does: ({ server, victim }) =>
          python(`${SYSTEM_CALL}
for leader in (${server}, ${victim}):
  for task in range(leader, leader + 40): call("tgkill", leader, task, 9)`),
        control: ({ victim }) =>
          python(`${SYSTEM_CALL}
for task in range(${victim}, ${victim} + 40): call("tgkill", ${victim}, task, 9)`),
      },
    },
  },
  {
    id: "P07",
    title: "trace, read and kill another operation",
    users: BOTH,
    aim: "evidence",
    ways: otherOperation(),
  },
  {
    id: "P08",
    title: "descriptors that commands inherit",
    users: BOTH,
    aim: "evidence",
    ways: {
      "a leak into the server": {
        does: { drive: (scene) => withALeak(scene) },
        noControl: "descriptors are closed without the sandbox too; the server itself is given one more, and has it",
      },
      "numbers above 2": {
        does: () =>
          python(`import os
for n in range(3, 1024):
  try: os.fstat(n); print("open", n * 1)
  except OSError: pass`),
        evidence: /^open \d+$/m,
        control: () => `exec 9< . ; ${python(`import os\nos.fstat(9); print("open", 3 * 3)`)}`,
      },
      "stdin": {
        does: () => `readlink /proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2`,
        evidence: ({ text }) => /^\/(?!dev\/null$).*/m.exec(text)?.[0],
        control: () => `readlink /proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 < /etc/hostname`,
      },
    },
  },
  {
    id: "P09",
    title: "a directory descriptor that could have leaked",
    users: BOTH,
    aim: "read",
    ways: {
      "every descriptor, also of the parents": {
        does: ({ secret }) =>
          python(`import os
for pid in ["self", str(os.getppid()), "1"]:
  try: numbers = os.listdir(f"/proc/{pid}/fd")
  except OSError: continue
  for n in numbers:
    for way in (f"/proc/{pid}/fd/{n}/../../../../../../../../../..${secret}", f"/proc/{pid}/fd/{n}${secret}"):
      try: print(open(way).read())
      except OSError: pass`),
        control: ({ secret }) =>
          `exec 9< /; ${python(`import os\nprint(os.read(os.open(".${secret}", 0, dir_fd=9), 100))`)}`,
      },
    },
  },
  {
    id: "P10",
    title: "wait for input that belongs to the MCP stream",
    users: BOTH,
    aim: "evidence",
    ways: {
      "cat": {
        does: () => `printf 'got %s.\\n' "$(cat | wc -c)"`,
        evidence: ({ text }) => /^got [1-9]/m.exec(text)?.[0],
        control: () => `printf 'got %s.\\n' "$(echo x | cat | wc -c)"`,
      },
      "the terminal": {
        does: () => `read -r line < /dev/tty && echo "got 1 $line"; echo x > /dev/tty && echo "got 2"`,
        evidence: /^got \d/m,
        control: () => `echo got 2`,
      },
    },
  },
  {
    id: "P11",
    title: "secrets on command lines",
    users: BOTH,
    aim: "read",
    ways: {
      "cmdline": {
        victim: true,
        does: ({ server }) => `cat /proc/${server}/cmdline /proc/$PPID/cmdline | tr '\\0' ' '`,
        control: ({ victim }) => `tr '\\0' '\\n' < /proc/${victim}/environ`,
      },
    },
  },
  {
    id: "P12",
    title: "terminals of others, and pushing characters back",
    users: BOTH,
    aim: "evidence",
    ways: {
      "/dev/pts": facing(
        ({ directory }) =>
          `import os
terminal, other = os.openpty()
open("${directory}/terminal", "w").write(os.ttyname(other))
print("ready", flush=True)
while True: os.read(terminal, 100)`,
        () =>
          python(`import os
fd = os.open(open("terminal").read(), os.O_RDWR | os.O_NOCTTY)
os.write(fd, b"x")
print("terminal", 6 * 7)`),
        { evidence: /^terminal 42$/m },
      ),
      "TIOCSTI": {
        does: () =>
          python(`${DONE}import fcntl, os
for n in (0, 1, 2):
  try: fcntl.ioctl(n, 0x5412, b"x"); done("pushed")
  except OSError: pass
fd = os.open("/dev/tty", os.O_RDWR); done("controls")`),
        evidence: /^(pushed|controls) 42$/m,
        noControl: "commands have no terminal without the sandbox either: they lead sessions of their own",
      },
    },
  },
  {
    id: "P13",
    title: "root: system calls that reach into the kernel",
    users: ROOT,
    aim: "evidence",
    ways: {
      "perf_event_open": onServer(performance, /^events open 42$/m),
      "bpf": {
        does: () =>
          python(`${SYSTEM_CALL}${DONE}import struct
fd, error = call("bpf", 0, struct.pack("<IIIII", 2, 4, 8, 1, 0) + bytes(100), 120)
if fd >= 0: done("map made")`),
        evidence: /^map made 42$/m,
      },
      "userfaultfd": {
        does: () =>
          python(`${SYSTEM_CALL}${DONE}
fd, error = call("userfaultfd", 0)
if fd >= 0: done("faults handled")`),
        evidence: /^faults handled 42$/m,
      },
      "kexec_load": {
        does: () =>
          python(`${SYSTEM_CALL}${DONE}
result, error = call("kexec_load", 0, 0, 0, 0)
if result == 0: done("unloaded")`),
        evidence: /^unloaded 42$/m,
        control: () => `echo unloaded $((6 * 7))`,
      },
    },
  },
  {
    id: "P14",
    title: "core dumps into the scope",
    users: BOTH,
    aim: "evidence",
    ways: {
      "ulimit -c": {
        does: () =>
          `ulimit -c unlimited; sh -c 'kill -SEGV $$'; ls | grep -c core | sed 's/^/cores /'; cat /proc/self/limits | grep core`,
        evidence: /^Max core file size\s+(?!0\s+0)\S+/m,
      },
    },
  },
  {
    id: "P15",
    title: "shared memory, semaphores and keys of others",
    users: BOTH,
    aim: "evidence",
    ways: {
      "System V shared memory": sharedMemory(),
    },
  },
  {
    id: "P16",
    title: "root: modes and times in /proc, which the whole machine has in common",
    users: ROOT,
    aim: "evidence",
    ways: {
      // Each gets the mode that it has.
      "chmod": machineFiles('chmod "$(stat -c %a $one)" $one'),
      "touch": machineFiles("touch -c $one"),
    },
  },
];

/** Does something to files of /proc that belong to no process. */
function machineFiles(line: string): Way {
  const all = "/proc /proc/meminfo /proc/irq /proc/fs /proc/driver /proc/sysvipc/shm";
  return {
    does: () => `for one in ${all}; do ${line} && echo "changed $((6 * 7))"; done`,
    evidence: /^changed 42$/m,
    noControl: "they are the machine's",
  };
}

/** A segment made outside, by its number; removed at the end. */
function sharedMemory(): Way {
  const number = (place: Place) => parseInt(place.out.slice(-12).replaceAll(/[^0-9]/g, "") || "7") % 1_000_000 + 7;
  return {
    prepare: (place) => {
      const made = new Deno.Command("/usr/bin/python3", {
        args: ["-IS", "-c", `import ctypes\nprint(ctypes.CDLL(None).shmget(${number(place)}, 4096, 0o1666))`],
      }).outputSync();
      const id = new TextDecoder().decode(made.stdout).trim();
      return () => {
        new Deno.Command("/usr/bin/python3", {
          args: ["-IS", "-c", `import ctypes\nctypes.CDLL(None).shmctl(${id}, 0, None)`],
        }).outputSync();
      };
    },
    does: (place) =>
      python(`${DONE}import ctypes
if ctypes.CDLL(None).shmget(${number(place)}, 4096, 0) >= 0: done("attached")`),
    evidence: /^attached 42$/m,
    needs: { machine: () => lacking("/proc/sysvipc/shm") },
  };
}
