/** Stores each run of a flow in a private file in the user's state directory, so that it outlives the server (K7). */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { messageOf, undefinedFor } from "../../base/errors.ts";
import { expected } from "../../system/paths.ts";
import { writePrivately } from "../../system/replace/private_file.ts";
import { isObject, parseJson } from "../../wire/json_value.ts";
import type { Run } from "./machine.ts";
import { freeLock } from "../../system/replace/file_lock.ts";

/** How long an unused run is kept, milliseconds. */
const KEPT_MS = 7 * 24 * 3600 * 1000;
const LARGEST_BYTES = 4 * 1024 * 1024;
const ID = /^[0-9A-HJKMNP-TV-Z]{10}$/;

const EXCLUSIVE = true;

/** The exclusive right to change one run among all servers. The system releases it when the process exits. */
export interface RunClaim {
  release(): void;
}

/** A run as other calls see it. */
export interface SeenRun extends Omit<Run, "status"> {
  /** `interrupted`: it has not ended, and no call works on it. */
  readonly status: Run["status"] | "interrupted";
}

export class RunStore {
  readonly #directory: string;

  /** `directory` holds the runs of one project; the first run creates it. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Reads a stored run; the problem is worded for the agent. */
  async read(id: string): Promise<Outcome<Run>> {
    if (!ID.test(id)) return failure(`"${id}" is not the id of a run; flow_name "status" lists the runs`);
    try {
      const text = await Deno.readTextFile(`${this.#directory}/${id}.json`);
      const read = parseJson(text);
      // Only this program writes there.
      if (read.ok && isObject(read.value)) return success(read.value as unknown as Run);
      return failure(`Run ${id} cannot be read: its file is damaged`);
    } catch (thrown) {
      if (thrown instanceof Deno.errors.NotFound) {
        return failure(`There is no run ${id}: it never existed in this project, or was not used for seven days`);
      }
      return failure(`Run ${id} cannot be read: ${messageOf(thrown)}`);
    }
  }

  /** The current state of a stored run. */
  async seen(run: Run): Promise<SeenRun> {
    if (run.status !== "running") return run;
    const claim = await this.claim(run.id);
    if (!claim.ok) return run;
    claim.value.release();
    return { ...run, status: "interrupted" };
  }

  /** Claims a run for one call; the problem says that another call works on it. */
  async claim(id: string): Promise<Outcome<RunClaim>> {
    try {
      await Deno.mkdir(this.#directory, { recursive: true, mode: 0o700 });
      const file = await Deno.open(`${this.#directory}/${id}.lock`, { write: true, create: true, mode: 0o600 });
      const isFree = await file.tryLock(EXCLUSIVE);
      if (isFree) return success({ release: () => freeLock(file) });
      file.close();
      return failure(`Run ${id} is being worked on, by this server or another one: await or cancel that call first`);
    } catch (thrown) {
      return failure(`Run ${id} cannot be locked: ${messageOf(thrown)}`);
    }
  }

  /** Stores a run atomically. @throws {Error} When the system refuses. */
  async write(run: Run): Promise<void> {
    const text = JSON.stringify(run);
    if (text.length > LARGEST_BYTES) throw new Error(`The variables of run ${run.id} are too long to keep`);
    await writePrivately(`${this.#directory}/${run.id}.json`, text);
  }

  /** All runs, newest first. Runs that were not used for a long time are removed. */
  async list(now: number): Promise<readonly Run[]> {
    const found: { readonly run: Run; readonly at: number }[] = [];
    const listing = Array.fromAsync(Deno.readDir(this.#directory)).catch(undefinedFor(Deno.errors.NotFound));
    for (const { name } of await listing ?? []) {
      const path = `${this.#directory}/${name}`;
      // Another server may have replaced or removed it in the meantime.
      const at = expected(() => Deno.statSync(path))?.mtime?.getTime() ?? now;
      if (now - at > KEPT_MS) expected(() => Deno.removeSync(path));
      else if (name.endsWith(".json")) {
        const read = await this.read(name.slice(0, -5));
        if (read.ok) found.push({ run: read.value, at });
      }
    }
    return found.toSorted((one, other) => other.at - one.at).map(({ run }) => run);
  }

  /** The same runs with their current status. */
  async listSeen(now: number): Promise<readonly SeenRun[]> {
    return await Promise.all((await this.list(now)).map((run) => this.seen(run)));
  }
}
