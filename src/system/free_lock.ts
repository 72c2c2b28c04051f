/**
 * Closes a file whose lock (flock) this process holds. A lock belongs to the opening of the file: a program that is
 * being started has a copy of that for a moment, which would keep the lock beyond the mere closing.
 */
export function freeLock(file: Deno.FsFile): void {
  file.unlockSync();
  file.close();
}
