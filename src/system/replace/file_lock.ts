/** Locks between processes (flock): the system frees one with the process that holds it. */
import { freeLock } from "../free_lock.ts";

const EXCLUSIVE = true;

/** The value of the work; undefined: it was not begun. */
export type Done<Value> = { readonly value: Value } | undefined;

/**
 * Works while no other process holds the lock of the file, which stays; waits `waitMs` milliseconds for it at most. The
 * lock is freed in words: the minifier of the bundle drops a `using` whose variable is read once.
 */
export async function underLock<Value>(path: string, waitMs: number, work: () => Promise<Value>): Promise<Done<Value>> {
  const file = await Deno.open(path, { write: true, create: true, mode: 0o600 });
  const free = () => freeLock(file);
  // The wait cannot be called off: a lock that comes too late is freed then.
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
