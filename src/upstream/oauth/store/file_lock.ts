/** Locks between processes (flock): the system frees one with the process that holds it. */

const EXCLUSIVE = true;

/** A lock that is held; disposing of it frees it. */
export type HeldLock = Disposable;

/** Waits `waitMs` milliseconds at most; undefined: another process held it all the time. The file stays. */
export async function lockFile(path: string, waitMs: number): Promise<HeldLock | undefined> {
  const file = await Deno.open(path, { write: true, create: true, mode: 0o600 });
  // The wait cannot be called off: a lock that comes too late is freed then.
  const locked = file.lock(EXCLUSIVE).then(() => "locked" as const);
  const late = Promise.withResolvers<"late">();
  const timer = setTimeout(() => late.resolve("late"), waitMs);
  try {
    if (await Promise.race([locked, late.promise]) === "locked") return { [Symbol.dispose]: () => file.close() };
    void locked.finally(() => file.close());
    return undefined;
  } catch (thrown) {
    file.close();
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
}
