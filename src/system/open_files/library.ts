/** The functions of the C library that work on files by their descriptors. */
import { words } from "../../base/text.ts";
import { nameBytes } from "../../base/bytes.ts";
import { LazyLibrary } from "../c_library.ts";

const LIBRARY = words(
  "openAt openBelow stat statx directory renameAt read pread write close fchmod fchmodat fchown",
  "futimens fsync ftruncate lseek mkdirat flock waitForLock linkat unlinkat symlinkat readlinkat",
  "flistxattr fgetxattr fsetxattr fcntl __errno_location",
);

/** Loaded with its first call. */
export type FileLibrary = LazyLibrary<typeof LIBRARY[number]>;

/** Dispose it when its last call has returned. */
export function openFileLibrary(): FileLibrary {
  return new LazyLibrary(LIBRARY);
}

/** A text as a C string: UTF-8 with a zero byte at its end. */
export function text(value: string): Uint8Array<ArrayBuffer> {
  return nameBytes(value + "\0");
}
