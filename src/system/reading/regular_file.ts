/**
 * Reads a file that others may replace at any moment. Between a check and the opening, a pipe could take the file's
 * place, and opening it would wait for a writer. So the file is opened without blocking and checked through its
 * descriptor.
 */
import { type FileOpener, withFileOpener } from "./file_opener.ts";

/** Result of a read: the bytes, or why it failed. */
export type RegularFile =
  | { readonly kind: "read"; readonly bytes: Uint8Array<ArrayBuffer>; readonly identity: string }
  | { readonly kind: "not_regular" }
  | { readonly kind: "too_large"; readonly size: number };

/**
 * The bytes of a regular file of at most `largest` bytes, and which file it was (`device:inode`); links are followed.
 * Never waits, for any kind of file. `opener`: shared for many files; absent: a new one.
 *
 * @throws Error with the system's `code` (`ENOENT`, `EACCES`, `ELOOP`, ...) when it cannot be opened or read.
 */
export function readRegularFile(path: string, largest: number, opener?: FileOpener): RegularFile {
  if (opener === undefined) return withFileOpener((own) => readRegularFile(path, largest, own));
  Deno.statSync(path); // throws where there is nothing
  using opened = opener.open(path);
  if (!opened.isFile) return { kind: "not_regular" };
  if (opened.size > largest) return { kind: "too_large", size: opened.size };
  // One byte more than the size shows that the file grew, and shows the end without another call.
  const bytes = new Uint8Array(opened.size + 1);
  let length = 0;
  for (let got = 1; got > 0 && length < bytes.length;) {
    got = opened.read(bytes.subarray(length));
    length += got;
  }
  return { kind: "read", bytes: bytes.subarray(0, Math.min(length, opened.size)), identity: opened.identity };
}

/** The same as text; undefined: it cannot be read. */
export function readTextIfRegular(path: string, largest: number, opener?: FileOpener): string | undefined {
  try {
    const read = readRegularFile(path, largest, opener);
    return read.kind === "read" ? new TextDecoder().decode(read.bytes) : undefined;
  } catch (thrown) {
    if (systemErrorCode(thrown) === undefined) throw thrown;
    return undefined;
  }
}

/** The system's error code, such as `ENOENT`; undefined: it is not a system error. */
export function systemErrorCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;
}

/** The bytes of a file inside a directory, or why it is refused. */
export type InsideFile =
  | RegularFile
  /** It is a link that leads out of the directory. */
  | { readonly kind: "outside" }
  /** Another file was put in its place while it was read. */
  | { readonly kind: "exchanged" };

/**
 * Reads a file of at most `largest` bytes below `directory`. A link that leads out is refused, because the agent sees
 * the content. A command may replace the file by a link during the read, so the identity is checked again afterwards.
 * @throws Error with the system's `code` when it cannot be opened or read
 */
export function readInside(directory: string, file: string, largest: number, opener: FileOpener): InsideFile {
  if (realPathInside(directory, file) === undefined) return { kind: "outside" };
  const read = readRegularFile(file, largest, opener);
  if (read.kind !== "read") return read;
  const place = realPathInside(directory, file);
  if (place === undefined) return { kind: "outside" };
  const { dev, ino } = Deno.lstatSync(place);
  return read.identity === `${dev}:${ino}` ? read : { kind: "exchanged" };
}

/** Whether the file system caused an error; any other error is a fault of this program. */
export function isFileError(thrown: unknown): boolean {
  return thrown instanceof Deno.errors.NotFound || thrown instanceof Deno.errors.PermissionDenied ||
    thrown instanceof Deno.errors.NotCapable || thrown instanceof Deno.errors.FilesystemLoop ||
    thrown instanceof Deno.errors.IsADirectory || thrown instanceof Error && "code" in thrown;
}

/** The real path of `file` below the real directory; undefined: it leads out. */
function realPathInside(directory: string, file: string): string | undefined {
  const place = Deno.realPathSync(file);
  return place.startsWith(`${Deno.realPathSync(directory)}/`) ? place : undefined;
}
