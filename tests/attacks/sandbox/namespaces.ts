/** N: mounts, namespaces, privileges, and a sandbox that cannot be set up. */
import { BOTH, ORDINARY, type Place, python, ROOT, type Row, SYSTEM_CALL, type Way } from "../frame/attack.ts";
import { withDaemon } from "../means/daemon.ts";
import { withAllLayers, withFailingSteps, withoutLandlock } from "../means/unusual_start.ts";

/** Mounts of a control must not be the machine's. */
function mounting(line: (place: Place) => string): Way {
  return {
    does: (place) => line(place),
    control: (place) => `unshare --mount sh -c '${line(place)}'`,
    needs: { machine: () => refusing(["--mount"]) },
  };
}

function refusing(flags: readonly string[]): string | undefined {
  const { success } = new Deno.Command("unshare", { args: [...flags, "true"], stderr: "null" }).outputSync();
  return success ? undefined : `this machine refuses unshare ${flags.join(" ")}`;
}

function unmounted(path: string): string | undefined {
  const { success } = new Deno.Command("mountpoint", { args: ["-q", path] }).outputSync();
  return success ? undefined : `nothing is mounted on ${path}`;
}

function refusingNodes(): string | undefined {
  const place = Deno.makeTempDirSync();
  try {
    const line = `mknod ${place}/c c 1 9 && head -c 1 ${place}/c > /dev/null`;
    const { success } = new Deno.Command("sh", { args: ["-c", line], stderr: "null" }).outputSync();
    return success ? undefined : "this machine lets no user make or open devices";
  } finally {
    Deno.removeSync(place, { recursive: true });
  }
}

const ONLY_ROOT_PREPARES = {
  machine: () => Deno.uid() === 0 ? undefined : "only root can prepare such a program",
};

/** A program of the scope that gives more rights to the user who runs it. */
function privileged(program: string, prepare: (path: string) => void, way: Pick<Way, "does" | "evidence">): Way {
  return {
    ...way,
    prepare: ({ directory }) => {
      Deno.copyFileSync(program, `${directory}/tool`);
      prepare(`${directory}/tool`);
    },
    needs: ONLY_ROOT_PREPARES,
  };
}

const CAPABILITY = `import os, struct, sys
os.chmod(sys.argv[1], 0o755)
os.setxattr(sys.argv[1], "security.capability", struct.pack("<IIIII", 0x02000001, 1 << 2, 0, 0, 0))`;

function giveCapability(path: string): void {
  const { success } = new Deno.Command("/usr/bin/python3", { args: ["-IS", "-c", CAPABILITY, path] }).outputSync();
  if (!success) throw new Error("No capability could be given");
}

export const NAMESPACES: readonly Row[] = [
  {
    id: "N01",
    title: "a user namespace, and mounts in it",
    users: BOTH,
    aim: "read",
    needs: { machine: () => refusing(["-Urm"]) },
    ways: {
      "unshare": ({ out }) => `mkdir m; unshare -Urm sh -c 'mount --bind ${out} m; cat m/secret'`,
      "clone": ({ out }) => `mkdir m; unshare -Ufrmp --mount-proc sh -c 'mount --bind ${out} m; cat m/secret'`,
      "chroot": ({ out }) =>
        python(`import os
os.unshare if hasattr(os, "unshare") else None
import ctypes
libc = ctypes.CDLL(None)
libc.unshare(0x10000000)
libc.chroot(b"${out}")
print(open("/secret").read())`),
    },
  },
  {
    id: "N02",
    title: "root: mount a tree outside, or mount it writable again",
    users: ROOT,
    aim: "read",
    ways: {
      "a file system of its own": {
        ...mounting(() => `mkdir m; mount -t tmpfs none m && mountpoint m | sed s/is/IS/`),
        aim: "evidence",
        evidence: /m IS a mountpoint/,
      },
      "umount": {
        ...mounting(() => `umount -l /dev/shm && echo gone $((6 * 7))`),
        aim: "evidence",
        evidence: /^gone 42$/m,
        needs: { machine: () => refusing(["--mount"]) ?? unmounted("/dev/shm") },
      },
      "mount --bind": mounting(({ out }) => `mkdir m; mount --bind ${out} m; cat m/secret`),
      "remount": {
        ...mounting(({ secret }) => `mount -o remount,bind,rw /; touch -d @1 ${secret}`),
        aim: "write",
      },
      "remount of one mount": {
        ...mounting(({ secret }) => `mount -o remount,rw /tmp; mount -o remount,rw /; chmod 777 ${secret}`),
        aim: "write",
      },
    },
  },
  {
    id: "N03",
    title: "root: the new calls for mounts",
    users: ROOT,
    aim: "read",
    ways: {
      "open_tree": ({ out }) =>
        python(`${SYSTEM_CALL}
fd, error = call("open_tree", -100, b"${out}", 1)
print(os.read(os.open("secret", 0, dir_fd=fd), 100))`),
      "fsopen and fsmount": {
        does: () =>
          python(`${SYSTEM_CALL}
fs, error = call("fsopen", b"tmpfs", 0)
call("fsconfig", fs, 6, None, None, 0)
fd, error = call("fsmount", fs, 0, 0)
os.close(os.open("made", os.O_CREAT | os.O_WRONLY, dir_fd=fd))
print("made", 6 * 7)`),
        aim: "evidence",
        evidence: /^made 42$/m,
      },
      "mount_setattr": {
        does: ({ secret }) =>
          python(`${SYSTEM_CALL}
import struct
call("mount_setattr", -100, b"/", 0x8000, struct.pack("<QQQQ", 0, 1, 0, 0), 32)
os.chmod("${secret}", 0o777)`),
        control: ({ secret }) => `chmod 777 ${secret}`,
        aim: "write",
      },
    },
  },
  {
    id: "N04",
    title: "root: another root directory",
    users: ROOT,
    aim: "read",
    ways: {
      "chroot": ({ out }) => python(`import os\nos.chroot("${out}")\nprint(open("/secret").read())`),
      "chroot and out of it": ({ secret }) =>
        python(`import os
os.mkdir("jail"); fd = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_PATH); os.chroot("jail"); os.fchdir(fd)
for _ in range(20): os.chdir("..")
os.chroot("."); print(open("${secret}").read())`),
    },
  },
  {
    id: "N05",
    title: "root: enter the namespaces of the server and of others",
    users: ROOT,
    aim: "read",
    needs: { programs: ["nsenter"] },
    ways: {
      "of the server": ({ server, secret }) => `nsenter -t ${server} -m cat ${secret}`,
      "of a process outside": {
        victim: true,
        does: ({ victim, secret }) => `nsenter -t ${victim} -m -p cat ${secret}`,
      },
      "of the first process": {
        does: ({ secret }) => `nsenter -t 1 -m cat ${secret}; nsenter -t $PPID -m cat ${secret}`,
        control: ({ server, secret }) => `nsenter -t ${server} -m cat ${secret}`,
      },
    },
  },
  {
    id: "N06",
    title: "root: make device nodes in the scope",
    users: ROOT,
    aim: "evidence",
    needs: { machine: refusingNodes },
    ways: {
      "a character device": { does: () => `mknod c c 1 9 && head -c 4 c | wc -c`, evidence: /^4$/m },
      "a block device": { does: () => `mknod b b 7 0; test -b b && echo node $((6 * 7))`, evidence: /^node 42$/m },
      "one that was there": {
        does: () => `head -c 4 there | wc -c | sed 's/^/read /'`,
        prepare: ({ directory }) => {
          new Deno.Command("mknod", { args: ["-m", "666", `${directory}/there`, "c", "1", "9"] }).outputSync();
        },
        evidence: /^read 4$/m,
      },
      "in the temp directory": {
        does: () => `cd $TMPDIR && mknod c-$$ c 1 9 && head -c 4 c-$$ | wc -c; rm -f c-$$`,
        evidence: /^4$/m,
      },
    },
  },
  {
    id: "N07",
    title: "gain rights from a setuid program",
    users: ORDINARY,
    aim: "evidence",
    ways: {
      "a copy in the scope": privileged("/usr/bin/id", (path) => Deno.chmodSync(path, 0o4755), {
        does: () => `./tool -u | sed 's/^/user /'`,
        evidence: /^user 0$/m,
      }),
      "setgid": privileged("/usr/bin/id", (path) => Deno.chmodSync(path, 0o2755), {
        does: () => `./tool -g | sed 's/^/group /'`,
        evidence: /^group 0$/m,
      }),
    },
  },
  {
    id: "N08",
    title: "gain rights from a program with file capabilities",
    users: ORDINARY,
    aim: "evidence",
    ways: {
      "a copy in the scope": privileged("/usr/bin/cat", giveCapability, {
        does: () => `./tool /proc/self/status | grep CapPrm`,
        evidence: /^CapPrm:\s+0*[1-9a-f]/m,
      }),
    },
  },
  {
    id: "N09",
    title: "no layer of Landlock is left when the server starts",
    users: BOTH,
    alikeForRoot: "tests/launcher_failures_test.ts leaves root no layer",
    aim: "evidence",
    ways: withAllLayers(),
  },
  {
    id: "N10",
    title: "root: change what the whole machine shares",
    users: ROOT,
    aim: "evidence",
    ways: {
      "sethostname": {
        does: () =>
          python(`${SYSTEM_CALL}
import socket
name = socket.gethostname().encode()
result, error = call("sethostname", name, len(name))
if result == 0: print("named", 6 * 7)`),
        evidence: /^named 42$/m,
      },
      "swapoff": {
        does: () =>
          python(`${SYSTEM_CALL}
result, error = call("swapoff", b"/nowhere/at/all")
if error == 2: print("looked for", 6 * 7)`),
        evidence: /^looked for 42$/m,
      },
      "clock": {
        does: () =>
          python(`import time
now = time.clock_gettime_ns(time.CLOCK_REALTIME)
import ctypes
class Zone(ctypes.Structure): _fields_ = [("west", ctypes.c_int), ("dst", ctypes.c_int)]
zone = Zone(0, 0)
libc = ctypes.CDLL(None)
if libc.syscall(ctypes.c_long(164), None, None) == 0: print("set", 6 * 7)`),
        evidence: /^set 42$/m,
        needs: { machine: () => Deno.build.arch === "x86_64" ? undefined : "another number elsewhere" },
      },
    },
  },
  {
    id: "N11",
    title: "a daemon of the machine that reads for any program that reaches its socket, as Docker's",
    users: BOTH,
    aim: "read",
    ways: {
      "a Unix socket": {
        does: {
          drive: (scene) =>
            withDaemon(scene, {
              program: `import socket
s = socket.socket(1); s.bind("${scene.out}/directory/daemon"); s.listen(1); print("ready", flush=True)
c, _ = s.accept(); c.send(open("${scene.secret}", "rb").read())`,
              attack: python(`import socket
s = socket.socket(1); s.settimeout(5); s.connect("${scene.out}/directory/daemon"); print(s.recv(100))`),
            }),
        },
        watch: () => [],
      },
    },
  },
  {
    id: "N12",
    title: "the server starts where there is no Landlock",
    users: BOTH,
    aim: "evidence",
    ways: withoutLandlock(),
  },
  {
    id: "N13",
    title: "a step of the launcher fails",
    users: BOTH,
    alikeForRoot: "tests/launcher_failures_test.ts fails each step as root",
    aim: "evidence",
    ways: withFailingSteps(),
  },
  {
    id: "N14",
    title: "start inside an outer sandbox that forbids ours",
    notApplicable: "macOS only: sandbox-exec inside Seatbelt; N12 and N13 are its like on Linux",
  },
];
