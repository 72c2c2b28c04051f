/** What a person allowed always for the project of this server (S36). */
import type { GrantSubject } from "../../base/command/grant_subject.ts";
import { subjectKey } from "../../base/command/grant_subject.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { KeptConsent } from "../../consent/consent.ts";
import type { KeptGrant } from "../../consent/kept/kept_grant.ts";
import { KeptGrants } from "../../consent/kept/kept_grants.ts";
import type { PinnedDirectory } from "../../sandbox/policy/policy.ts";
import { type FileIdentity, Libc } from "../../system/libc.ts";

export interface OpenKeptOptions {
  /** Where the file is. */
  readonly directory: string;
  readonly scopes: readonly PinnedDirectory[];
  /** Gets each grant that was taken back, here or by another process. */
  readonly onRevoked: (grant: KeptGrant) => void;
  readonly log: Logger;
}

export class ProjectConsent implements KeptConsent, AsyncDisposable {
  readonly #options: OpenKeptOptions;
  readonly #kept: KeptGrants;
  readonly #libc = new Libc();
  /** Those that held at the last look. */
  #known: readonly KeptGrant[];

  constructor(options: OpenKeptOptions) {
    const { directory, log, scopes } = options;
    this.#options = options;
    this.#kept = new KeptGrants({ directory, now: Date.now, log });
    this.#known = this.#kept.of(scopes);
    this.#kept.subscribe(() => this.#tellRevoked());
  }

  /** Those that hold now: the path must lead to the same file; what programs replace is protected by path. */
  grants(): readonly KeptGrant[] {
    return this.#kept.of(this.#options.scopes).filter(({ subject, identity }) =>
      !("path" in subject) || subject.kind === "protected" || isSame(identity, this.#libc.lookAt(subject.path))
    );
  }

  subjects(): readonly GrantSubject[] {
    return this.grants().map(({ subject, identity }) =>
      !("path" in subject) || identity === undefined ? subject : { ...subject, identity }
    );
  }

  async keep(subject: GrantSubject): Promise<Outcome<void>> {
    const identity = "path" in subject ? subject.identity ?? this.#libc.lookAt(subject.path) : undefined;
    if ("path" in subject && identity === undefined) return failure("is not there any more");
    const added = await this.#kept.add({
      subject: "path" in subject ? { kind: subject.kind, path: subject.path } : subject,
      project: this.#options.scopes.map(({ path, device, inode }) => ({ path, device, inode })),
      ...identity !== undefined && { identity: { device: identity.device, inode: identity.inode } },
    });
    return added.ok ? success(undefined) : added;
  }

  /** Prolongs what a command uses; a failure is logged, because the grant holds anyway. */
  async used(subject: GrantSubject): Promise<void> {
    const ids = this.grants().filter((one) => subjectKey(one.subject) === subjectKey(subject)).map(({ id }) => id);
    await this.#kept.used(ids).catch((thrown: unknown) => this.#options.log.warn(messageOf(thrown)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#kept[Symbol.asyncDispose]();
    this.#libc[Symbol.dispose]();
  }

  #tellRevoked(): void {
    const now = this.#kept.of(this.#options.scopes);
    const gone = this.#known.filter(({ id }) => !now.some((one) => one.id === id));
    this.#known = now;
    for (const grant of gone) this.#options.onRevoked(grant);
  }
}

function isSame(one: FileIdentity | undefined, other: FileIdentity | undefined): boolean {
  return one !== undefined && one.device === other?.device && one.inode === other.inode;
}
