/** The lock of a project's notes: one writer at a time among all servers; the system frees it with its process. */
import { UserError } from "../../../base/errors.ts";
import { freeLock } from "../../../system/free_lock.ts";
import type { Project } from "../../project/project.ts";
import { NoteFolder } from "./note_folder.ts";

/** Files that are not part of the project: locks, current lists, answers. */
export const STATE = ".ahma/state";
/** Directories that are made together, because `.ahma` is read-only in the next worker. */
const LAYOUT = ["issues", "memos"] as const;
const LOCK = ".lock";
const EXCLUSIVE = true;
const WAIT_MS = 10_000;

/** One for all calls of a worker: they take turns, and at most one of them waits for another process. */
export class ProjectLock {
  #last: Promise<unknown> = Promise.resolve();
  /** A lock that did not come in time, and is freed when it comes. */
  #late: Promise<unknown> = Promise.resolve();

  /** Works while no other writer does. @throws {UserError} When another process holds the lock for too long. */
  hold<Value>(project: Project, work: () => Value | Promise<Value>): Promise<Value> {
    const turn = this.#last.then(() => this.#hold(project, work));
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #hold<Value>(project: Project, work: () => Value | Promise<Value>): Promise<Value> {
    await withinTime(this.#late);
    const file = openLock(project);
    const locked = file.lock(EXCLUSIVE);
    try {
      await withinTime(locked);
    } catch (thrown) {
      this.#late = locked.then(() => freeLock(file), () => file.close());
      throw thrown;
    }
    try {
      return await work();
    } finally {
      freeLock(file);
    }
  }
}

function openLock(project: Project): Deno.FsFile {
  const state = NoteFolder.make(project, STATE);
  try {
    const own = NoteFolder.open(project, ".ahma");
    try {
      const names = own?.names() ?? [];
      for (const name of LAYOUT) if (!names.includes(name)) makeIfAllowed(own, name);
    } finally {
      own?.[Symbol.dispose]();
    }
    // Git ignores all of it, whatever the project's own ignore file says.
    state.create(".gitignore", "*\n");
    return state.lockFile(LOCK);
  } finally {
    state[Symbol.dispose]();
  }
}

/** What is not made now is asked for, and refused in words, by the call that needs it. */
function makeIfAllowed(own: NoteFolder | undefined, name: string): void {
  try {
    own?.makeDirectory(name);
  } catch (thrown) {
    if (!(thrown instanceof UserError)) throw thrown;
  }
}

async function withinTime(awaited: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const problem = `another process has held "${STATE}/${LOCK}" for ${
    WAIT_MS / 1000
  } seconds; try again when it has ended`;
  const timer = setTimeout(() => late.reject(new UserError(`Cannot change the notes: ${problem}`)), WAIT_MS);
  await Promise.race([awaited, late.promise]).finally(() => clearTimeout(timer));
}
