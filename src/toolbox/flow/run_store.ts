/** Runs of flows, a private file each in the user's state directory, so that they outlive the server (K7). */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { messageOf, undefinedFor } from "../../base/errors.ts";
import { freeLock } from "../../system/free_lock.ts";
import { expected } from "../../system/paths.ts";
import { writePrivately } from "../../system/replace/private_file.ts";
import { isObject, parseJson } from "../../wire/json_value.ts";
import type { Run } from "./machine.ts";

/** A run without a call is kept so long, milliseconds. */
const KEPT_MS = 7 * 24 * 3600 * 1000;
const LARGEST_BYTES = 4 * 1024 * 1024;
const ID = /^[0-9A-HJKMNP-TV-Z]{10}$/;

const EXCLUSIVE = true;

/** The exclusive right to change one run, among all servers; the OS releases it when the process exits. */
export interface RunClaim {
  release(): void;
}

/** A run as others see it. */
export interface SeenRun extends Omit<Run, "status"> {
  /** Interrupted: it did not come to an end, and no call works on it. */
  readonly status: Run["status"] | "interrupted";
}

export class RunStore {
  readonly #directory: string;

  /** `directory`: of one project's runs; it is made by the first of them. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The kept run; the problem is worded for the agent. */
  async read(id: string): Promise<Outcome<Run>> {
    if (!ID.test(id)) return failure(`"${id}" is not the id of a run; flow_name "status" lists the runs`);
    try {
      const text = await Deno.readTextFile(`${this.#directory}/${id}.json`);
      const read = parseJson(text);
      // Nothing but this program writes there.
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

  /** Claims a run for one call; the problem: another one works on it. */
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

  /** Keeps a run, whole or as it was before. @throws {Error} When the system refuses it. */
  async write(run: Run): Promise<void> {
    const text = JSON.stringify(run);
    if (text.length > LARGEST_BYTES) throw new Error(`The variables of run ${run.id} are too long to keep`);
    await writePrivately(`${this.#directory}/${run.id}.json`, text);
  }

  /** All runs, the newest first; those that were not used for long are removed. */
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

  /** The same runs as they are seen now. */
  async listSeen(now: number): Promise<readonly SeenRun[]> {
    return await Promise.all((await this.list(now)).map((run) => this.seen(run)));
  }
}
