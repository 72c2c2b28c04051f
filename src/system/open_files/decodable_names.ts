/** File names that are not UTF-8. The runtime's calls take text, so they cannot reach such files. */
import { LITTLE_ENDIAN } from "../c_library.ts";
import { AT_FDCWD, O_CLOEXEC, OWN_CALLS, OWN_OPEN_FLAGS } from "../syscalls.ts";
import { type FileLibrary, openFileLibrary, text } from "./library.ts";

const RENAME_NOREPLACE = 1n;
/** Of `struct linux_dirent64`. */
const LENGTH_AT = 16;
const NAME_AT = 19;

/**
 * Renames each entry of a directory whose name is not valid text, for its removal. A link is renamed, not followed. A
 * device, which a sandbox keeps from new names, is removed at once.
 */
export function giveDecodableNames(directory: string): void {
  using library = openFileLibrary();
  const { symbols } = library;
  const calls = OWN_CALLS;
  const flags = BigInt(OWN_OPEN_FLAGS.directory | OWN_OPEN_FLAGS.noFollow | O_CLOEXEC);
  const fd = symbols.openAt(BigInt(calls.openat), BigInt(AT_FDCWD), text(directory), flags, 0n);
  if (fd < 0n) return;
  for (const name of namesIn(library, fd)) {
    if (!new TextDecoder().decode(name).includes("\ufffd")) continue;
    const own = text(`.${crypto.randomUUID()}`);
    const old = Uint8Array.of(...name, 0);
    const isRenamed = symbols.renameAt(BigInt(calls.renameat2), fd, old, fd, own, RENAME_NOREPLACE) === 0n;
    if (!isRenamed) symbols.unlinkat(Number(fd), old, 0);
  }
  symbols.close(Number(fd));
}

function namesIn({ symbols }: FileLibrary, fd: bigint): readonly Uint8Array[] {
  const names: Uint8Array[] = [];
  for (;;) {
    const buffer = new Uint8Array(65_536);
    const view = new DataView(buffer.buffer);
    const size = BigInt(buffer.length);
    const length = Number(symbols.directory(BigInt(OWN_CALLS.getdents64), fd, buffer, size));
    if (length <= 0) return names;
    for (let at = 0; at < length; at += view.getUint16(at + LENGTH_AT, LITTLE_ENDIAN)) {
      names.push(buffer.slice(at + NAME_AT, buffer.indexOf(0, at + NAME_AT)));
    }
  }
}
