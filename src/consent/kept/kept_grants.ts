/**
 * What a person allowed always for a project (S36), in a private file of the user's that commands can neither read nor
 * write. A file that cannot be used grants nothing. Every question reads the current file, so that a grant that another
 * process revokes is gone for the next command.
 */
import { Emitter, type Unsubscribe } from "../../base/emitter.ts";
import { messageOf, UserError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { encodeText } from "../../base/text.ts";
import { DirectoryWatch } from "../../system/directory_watch.ts";
import { PrivateDirectory } from "../../system/replace/private_directory.ts";
import {
  isExpired,
  isSameGrant,
  type KeptGrant,
  projectKey,
  type ProjectScope,
  readGrants,
  storedGrants,
} from "./kept_grant.ts";

export interface KeptGrantsOptions {
  /** Made with the first grant. See `closedStateDirectory`. */
  readonly directory: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Logger;
}

/** A grant before it is kept. */
export type NewGrant = Pick<KeptGrant, "subject" | "identity" | "project">;

/** What a version of the file holds. */
interface ReadGrants {
  /** Undefined: there is no file. */
  readonly stamp: string | undefined;
  readonly grants: readonly KeptGrant[];
  readonly byProject: ReadonlyMap<string, readonly KeptGrant[]>;
}

const FILE = "grants.json";
const MOST_GRANTS = 1_000;
/** Limit of the file, bytes. */
const LARGEST_FILE = 4 * 1024 * 1024;
/** How long another process may take to change the file, milliseconds. */
const LOCK_MS = 5_000;
/** A use within this time after the last recorded one is not recorded, milliseconds. */
const USE_MS = 3_600_000;

export class KeptGrants implements AsyncDisposable {
  readonly #options: KeptGrantsOptions;
  readonly #files: PrivateDirectory;
  readonly #changes: Emitter<void>;
  #read: ReadGrants = { stamp: undefined, grants: [], byProject: new Map() };
  /** The last problem that was logged. */
  #told: string | undefined;
  #watch: DirectoryWatch | undefined;

  constructor(options: KeptGrantsOptions) {
    const { directory: path, log } = options;
    this.#options = options;
    this.#files = new PrivateDirectory({ path, one: "the grants", all: "grants", largest: LARGEST_FILE, log });
    this.#changes = new Emitter((thrown) => log.error("A listener of grants threw", { error: messageOf(thrown) }));
  }

  /** The grants for a server of these scopes; an unusable file is logged once, and grants nothing. */
  of(scopes: readonly ProjectScope[]): readonly KeptGrant[] {
    try {
      const grants = this.#current().byProject.get(projectKey(scopes)) ?? [];
      this.#told = undefined;
      return this.#held(grants);
    } catch (thrown) {
      const problem = messageOf(thrown);
      if (this.#told !== problem) this.#options.log.warn(problem);
      this.#told = problem;
      return [];
    }
  }

  /** The grants of all projects. @throws {UserError} When the file cannot be used. */
  list(): readonly KeptGrant[] {
    return this.#held(this.#current().grants);
  }

  /** Keeps a grant. One that is kept already counts as used. The problem says why it is not kept. */
  async add(grant: NewGrant): Promise<Outcome<KeptGrant>> {
    const now = this.#options.now();
    try {
      let added: KeptGrant = { id: `g_${crypto.randomUUID().slice(0, 8)}`, ...grant, granted: now, used: now };
      await this.#change((grants) => {
        const known = grants.find((one) => isSameGrant(one, grant));
        if (known !== undefined) added = { ...known, used: now };
        else if (grants.length >= MOST_GRANTS) throw full();
        return [...grants.filter(({ id }) => id !== added.id), added];
      });
      return success(added);
    } catch (thrown) {
      if (!(thrown instanceof Error)) throw thrown;
      return failure(thrown.message);
    }
  }

  /** Records that grants were used, once an hour at most; revoked ones do not come back. */
  async used(ids: readonly string[]): Promise<void> {
    const now = this.#options.now();
    const isLate = ({ id, used }: KeptGrant) => ids.includes(id) && now - used >= USE_MS;
    if (!this.list().some(isLate)) return;
    await this.#change((grants) => grants.map((one) => isLate(one) ? { ...one, used: now } : one));
  }

  /** Revokes grants; returns those that held until now. @throws {UserError} When the file cannot be used. */
  async revoke(isRevoked: (grant: KeptGrant) => boolean): Promise<readonly KeptGrant[]> {
    if (this.#files.stamp(FILE) === undefined) return [];
    let revoked: readonly KeptGrant[] = [];
    await this.#change((grants) => {
      revoked = grants.filter(isRevoked);
      return grants.filter((one) => !revoked.includes(one));
    });
    return revoked;
  }

  /** Calls `listener` when grants were added or removed, by this process or another. */
  subscribe(listener: () => void): Unsubscribe {
    const { directory, log } = this.#options;
    let known = this.#ids();
    this.#watch ??= new DirectoryWatch({
      directories: [directory],
      log,
      onChange: () => {
        const ids = this.#ids();
        if (ids === known) return;
        known = ids;
        this.#changes.emit();
      },
    });
    return this.#changes.subscribe(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watch?.[Symbol.asyncDispose]();
  }

  #held(grants: readonly KeptGrant[]): readonly KeptGrant[] {
    const now = this.#options.now();
    return grants.filter((grant) => !isExpired(grant, now));
  }

  #ids(): string {
    try {
      return this.list().map(({ id }) => id).join();
    } catch (thrown) {
      return messageOf(thrown);
    }
  }

  /** @throws {UserError} When the file cannot be used. */
  #current(): ReadGrants {
    const stamp = this.#files.stamp(FILE);
    if (stamp !== undefined && stamp === this.#read.stamp) return this.#read;
    const found = this.#files.read(FILE);
    const grants = found === undefined ? success([]) : readGrants(found.text);
    if (!grants.ok) {
      throw new UserError(
        `Cannot use the grants in "${this.#files.pathOf(FILE)}": ${grants.problem}. It grants nothing; ` +
          "the next answer that is kept sets it aside",
      );
    }
    const byProject = Map.groupBy(grants.value, ({ project }) => projectKey(project));
    return this.#read = { stamp: found?.stamp, grants: grants.value, byProject };
  }

  /** Each change also removes expired grants. @throws {UserError} When the file cannot be used. */
  async #change(change: (grants: readonly KeptGrant[]) => readonly KeptGrant[]): Promise<void> {
    const now = this.#options.now();
    const done = await this.#files.underLock(FILE, LOCK_MS, async () => {
      const found = this.#files.read(FILE);
      const read = found === undefined ? success([]) : readGrants(found.text);
      if (!read.ok) await this.#files.setAside(FILE, read.problem);
      const changed = change(read.ok ? read.value.filter((one) => !isExpired(one, now)) : []);
      const text = storedGrants(changed);
      if (encodeText(text).length > LARGEST_FILE) throw full();
      await this.#files.write(FILE, text);
    });
    if (done === undefined) {
      throw new UserError("Cannot change the grants: another process is changing them. Try again");
    }
  }
}

function full(): UserError {
  return new UserError("Cannot keep more grants: take some back with ahma_mcp grants revoke");
}
