/** The lock of a project's notes: one writer among all servers. The system releases it when its process ends. */
import { attempt, UserError } from "../../../base/errors.ts";
import type { Project } from "../../project/project.ts";
import { inFolder, inMadeFolder } from "./note_folder.ts";
import { freeLock } from "../../../system/replace/file_lock.ts";
import { withTimeout } from "../../../base/time.ts";

/** Files that are not part of the project: locks, current lists, answers. */
export const STATE = ".ahma/state";
/** Directories that are created together, because `.ahma` is read-only in the next worker. */
const LAYOUT = ["issues", "memos"] as const;
const LOCK = ".lock";
const EXCLUSIVE = true;
const WAIT_MS = 10_000;

/** One lock for all calls of a worker: they take turns, and at most one waits for another process. */
export class ProjectLock {
  readonly #project: Project;
  #last: Promise<unknown> = Promise.resolve();
  /** A lock that was not granted in time; it is released once it is granted. */
  #late: Promise<unknown> = Promise.resolve();

  constructor(project: Project) {
    this.#project = project;
  }

  /** Does work while it holds the lock. @throws {UserError} When another process holds the lock for too long. */
  hold<Value>(work: () => Value | Promise<Value>): Promise<Value> {
    const turn = this.#last.then(() => this.#hold(work));
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #hold<Value>(work: () => Value | Promise<Value>): Promise<Value> {
    await withinTime(this.#late);
    const file = openLock(this.#project);
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
  return inMadeFolder(project, STATE, (state) => {
    inFolder(project, ".ahma", (own) => {
      const names = own.names();
      for (const name of LAYOUT) {
        // Failures are ignored here: the call that needs the directory reports them.
        if (!names.includes(name)) attempt(UserError, () => own.makeDirectory(name));
      }
    });
    // Makes git ignore the whole directory, whatever the project's ignore file says.
    state.create(".gitignore", "*\n");
    return state.lockFile(LOCK);
  });
}

async function withinTime(awaited: Promise<unknown>): Promise<void> {
  if (await withTimeout(awaited.then(() => true), WAIT_MS)) return;
  const held = `another process has held "${STATE}/${LOCK}" for ${WAIT_MS / 1000} seconds`;
  throw new UserError(`Cannot change the notes: ${held}; try again when it has ended`);
}
