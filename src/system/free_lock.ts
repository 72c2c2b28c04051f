/**
 * Releases the lock (flock) of a file and closes it. Closing alone is not enough: a program that is just being started
 * has a copy of the descriptor for a moment, which would keep the lock.
 */
export function freeLock(file: Deno.FsFile): void {
  file.unlockSync();
  file.close();
}
