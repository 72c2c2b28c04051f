/** Locks between processes (flock). The system releases a lock when its process ends. */

const EXCLUSIVE = true;

/** The result of the work; undefined: it did not begin. */
export type Done<Value> = { readonly value: Value } | undefined;

/**
 * Does work under the lock of a file, and waits at most `waitMs` milliseconds for it. The file stays. The lock is
 * released explicitly, because the bundle's minifier drops a `using` whose variable is read once.
 */
export async function underLock<Value>(path: string, waitMs: number, work: () => Promise<Value>): Promise<Done<Value>> {
  const file = await Deno.open(path, { write: true, create: true, mode: 0o600 });
  const free = () => freeLock(file);
  // The wait cannot be cancelled, so a lock that comes too late is released at once.
  const locked = file.lock(EXCLUSIVE).then(() => "locked" as const, (thrown: unknown) => {
    file.close();
    throw thrown;
  });
  const late = Promise.withResolvers<"late">();
  const timer = setTimeout(() => late.resolve("late"), waitMs);
  const first = await Promise.race([locked, late.promise]).finally(() => clearTimeout(timer));
  if (first === "late") {
    void locked.then(free, () => {});
    return undefined;
  }
  try {
    return { value: await work() };
  } finally {
    free();
  }
}

/** Releases the lock (flock) and closes: closing is not enough while a starting program has a copy. */
export function freeLock(file: Deno.FsFile): void {
  file.unlockSync();
  file.close();
}
