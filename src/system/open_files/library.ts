/** The functions of the C library that work on files by their descriptors. */
import { nameBytes } from "../../base/bytes.ts";
import { LazyLibrary } from "../c_library.ts";

const LIBRARY = {
  openAt: { name: "syscall", parameters: ["i64", "i64", "buffer", "i64", "i64"], result: "i64" },
  openBelow: { name: "syscall", parameters: ["i64", "i64", "buffer", "buffer", "i64"], result: "i64" },
  stat: { name: "syscall", parameters: ["i64", "i64", "buffer", "buffer", "i64"], result: "i64" },
  statx: { name: "syscall", parameters: ["i64", "i64", "buffer", "i64", "i64", "buffer"], result: "i64" },
  directory: { name: "syscall", parameters: ["i64", "i64", "buffer", "i64"], result: "i64" },
  renameAt: { name: "syscall", parameters: ["i64", "i64", "buffer", "i64", "buffer", "i64"], result: "i64" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  pread: { parameters: ["i32", "buffer", "usize", "i64"], result: "isize" },
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  close: { parameters: ["i32"], result: "i32" },
  fchmod: { parameters: ["i32", "u32"], result: "i32" },
  fchmodat: { parameters: ["i32", "buffer", "u32", "i32"], result: "i32" },
  fchown: { parameters: ["i32", "u32", "u32"], result: "i32" },
  futimens: { parameters: ["i32", "buffer"], result: "i32" },
  fsync: { parameters: ["i32"], result: "i32" },
  ftruncate: { parameters: ["i32", "i64"], result: "i32" },
  lseek: { parameters: ["i32", "i64", "i32"], result: "i64" },
  mkdirat: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  flock: { parameters: ["i32", "i32"], result: "i32" },
  waitForLock: { name: "flock", parameters: ["i32", "i32"], result: "i32", nonblocking: true },
  linkat: { parameters: ["i32", "buffer", "i32", "buffer", "i32"], result: "i32" },
  unlinkat: { parameters: ["i32", "buffer", "i32"], result: "i32" },
  symlinkat: { parameters: ["buffer", "i32", "buffer"], result: "i32" },
  readlinkat: { parameters: ["i32", "buffer", "buffer", "usize"], result: "isize" },
  flistxattr: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  fgetxattr: { parameters: ["i32", "buffer", "buffer", "usize"], result: "isize" },
  fsetxattr: { parameters: ["i32", "buffer", "buffer", "usize", "i32"], result: "i32" },
  fcntl: { parameters: ["i32", "i32", "i64"], result: "i32" },
  __errno_location: { parameters: [], result: "pointer" },
} as const;

/** Loaded with its first call. */
export type FileLibrary = LazyLibrary<typeof LIBRARY>;

/** Dispose it when its last call has returned. */
export function openFileLibrary(): FileLibrary {
  return new LazyLibrary(LIBRARY);
}

/** A text as a C string: UTF-8 with a zero byte at its end. */
export function text(value: string): Uint8Array<ArrayBuffer> {
  return nameBytes(value + "\0");
}
