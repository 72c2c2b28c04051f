/** S10: every way to take more memory than `--limit-memory` says. */
import { BOTH, python, type Row, type ServerSetting, SYSTEM_CALL, type Way } from "../frame/attack.ts";

/** Commands that may take little. */
export const LIMITED: ServerSetting = {
  flags: () => ["--limit-memory", "32M", "--limit-processes", "100"],
  plainControl: true,
};

/** Python: `SIZE` is more than the limit, `fill(address)` writes to all of it, and `say(bytes)` says how much was held. */
const TAKING = `${SYSTEM_CALL}
import mmap
SIZE = 40 << 20
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.shmat.restype = ctypes.c_void_p
libc.shmat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
def mapped(flags, rights=3):
  address = libc.mmap(None, SIZE, rights, flags | 0x20, -1, 0)
  if address == 2 ** 64 - 1: raise OSError(ctypes.get_errno(), "mmap")
  return address
def fill(address): ctypes.memset(address, 1, SIZE)
def say(size): print("has", size >> 20)
`;

function taking(program: string, line = (run: string) => run): Way {
  return { does: () => line(python(`${TAKING}${program}`)), evidence: /has 40/, sharedServer: LIMITED };
}

/** Writes to a file, and counts what it holds. */
const WRITTEN = `for _ in range(SIZE >> 20): os.write(file, bytes([1]) * (1 << 20))
say(os.fstat(file).st_size)`;

/** Below the stack there is room, which a process gets when it writes there: from far below up to what it has. */
const STACK = `[line] = [one for one in open("/proc/self/maps") if "[stack]" in one]
lowest = int(line.split("-")[0], 16)
fill(lowest - SIZE)
say(SIZE)`;

/** The kernel writes for the process where it may not write itself, and so keeps pages that no limit counts. */
const UNWRITABLE = `address = mapped(2, 1)
with open("/proc/self/mem", "wb", 0) as memory:
  memory.seek(address)
  say(sum(memory.write(bytes([1]) * (1 << 20)) for _ in range(SIZE >> 20)))`;

/** Memory of every kind. */
export const MEMORY: readonly Row[] = [
  {
    id: "S10",
    title: "use up the memory",
    users: BOTH,
    aim: "evidence",
    ways: {
      "one allocation": taking("say(len(bytearray(SIZE)))"),
      "many mappings": taking("say(sum(len(one) for one in [mmap.mmap(-1, SIZE // 20, 2) for _ in range(20)]))"),
      "a shared mapping": taking("fill(mapped(1))\nsay(SIZE)"),
      "shared mappings of /dev/zero": taking(
        `with open("/dev/zero", "r+b") as zero: say(sum(mmap.mmap(zero.fileno(), SIZE // 20).write(bytes([1]) * (SIZE // 20)) for _ in range(20)))`,
      ),
      "a file in memory": taking(`file = os.memfd_create("m")\n${WRITTEN}`),
      "a file in memory, by number": taking(`file, _ = call("memfd_create", b"m", 0)\n${WRITTEN}`),
      "/dev/shm": taking(`file = os.open("/dev/shm/${"m"}", os.O_RDWR | os.O_CREAT, 0o600)
os.unlink("/dev/shm/m")
${WRITTEN}`),
      "System V memory": taking(`part = libc.shmget(0, ctypes.c_size_t(SIZE), 0o1600)
if part < 0: raise OSError(ctypes.get_errno(), "shmget")
address = libc.shmat(part, None, 0)
libc.shmctl(part, 0, None)
fill(address)
say(SIZE)`),
      "a mapping that grows like a stack": taking("fill(mapped(0x102))\nsay(SIZE)"),
      "a larger stack": taking(STACK, (run) => `ulimit -s 400000; ${run}`),
      "a mapping that cannot be written": taking(UNWRITABLE),
    },
  },
];
