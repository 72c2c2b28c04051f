/**
 * What a session guards, looked at around every command (S7, S8): before it for the mounts it needs, after it for what
 * changed, and once more when the last process it left behind is gone.
 */
import { UserError } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import {
  type GuardPlan,
  type GuardView,
  lookAtGuarded,
  pathsBehind,
  type ProtectedChange,
  protectedChanges,
  type WatchingLooker,
} from "../sandbox/guard.ts";
import { findNestedRepositories } from "../sandbox/nested_repositories.ts";
import type { PathWatch } from "../sandbox/path_watch.ts";
import { nestedRepositoryPaths } from "../sandbox/protected.ts";

export interface SessionGuardOptions {
  readonly plan: GuardPlan;
  /** Asked only when something is looked at. */
  readonly looker: WatchingLooker;
  readonly logger: Logger;
}

export class SessionGuard {
  readonly #options: SessionGuardOptions;
  #plan: GuardPlan;
  /** The last view with mounts, and what says that it still holds. */
  #watch: PathWatch | undefined;
  #mounted: GuardView | undefined;
  /** Changes found after their command's result went out: they are told with the next one. */
  #late: readonly ProtectedChange[] = [];
  /** How each path was when a result told of it last. */
  readonly #told = new Map<string, string | undefined>();

  constructor(options: SessionGuardOptions) {
    this.#options = options;
    this.#plan = options.plan;
  }

  /** Adds the repositories below the trees: once, before the first command. */
  async findRepositories(): Promise<void> {
    const { plan: { trees, open }, logger } = this.#options;
    const found = await Promise.all(trees.map(async (tree) => {
      const repositories = await findNestedRepositories(tree);
      if (!repositories.complete) logger.warn("Not all repositories below are protected: there is too much", { tree });
      return nestedRepositoryPaths(repositories, { tree, open });
    }));
    this.#plan = { ...this.#plan, protected: [...this.#plan.protected, ...found.flat()] };
    this.#watch = undefined;
  }

  /**
   * The guarded paths of this moment. `mounted`: with namespaces.
   * @throws {UserError} When commands could read credentials, because nothing can cover them.
   */
  look(options: { readonly mounted: boolean }): GuardView {
    const view = this.#view(options);
    const [secret] = view.exposed;
    if (secret === undefined) return view;
    throw new UserError(
      `Cannot run commands: they could read "${secret}", and this system refuses the namespaces that would hide it. ` +
        `Choose a scope and --read directories that do not hold it, or insist with --allow-read-sensitive ${secret}`,
    );
  }

  /** What changed since `before`, with what came to light late; and the view it was found in. */
  changes(
    before: GuardView,
    options: { readonly mounted: boolean },
  ): { readonly after: GuardView; readonly changes: readonly ProtectedChange[] } {
    const after = this.#view(options);
    const found = protectedChanges(before, after);
    const late = this.#late.filter(({ path }) => !found.some((one) => one.path === path));
    this.#late = [];
    for (const { path } of found) this.#told.set(path, after.seen.get(path));
    return { after, changes: [...late, ...found] };
  }

  /** Looks again when all that a command left running is gone; what another command's result told is known. */
  async lookLater(gone: Promise<unknown>, after: GuardView, options: { readonly mounted: boolean }): Promise<void> {
    await gone;
    const now = this.#view(options);
    const found = protectedChanges(after, now)
      .filter(({ path }) => !this.#told.has(path) || this.#told.get(path) !== now.seen.get(path));
    this.keep(found);
  }

  /** Without mounts a view holds more than these paths: what is in directories. */
  #view({ mounted }: { readonly mounted: boolean }): GuardView {
    const { looker } = this.#options;
    if (!mounted) return lookAtGuarded(this.#plan, looker, { mounted });
    this.#watch ??= looker.watch(pathsBehind(this.#plan));
    // Asked before the view is made: what changes in between is news to the next asking.
    const unchanged = this.#watch.isUnchanged();
    if (unchanged && this.#mounted !== undefined) return this.#mounted;
    this.#mounted = lookAtGuarded(this.#plan, looker, { mounted });
    return this.#mounted;
  }

  /** Tells the log, and the next result, of changes that no result told of. */
  keep(changes: readonly ProtectedChange[]): void {
    if (changes.length === 0) return;
    this.#late = [...this.#late, ...changes];
    this.#options.logger.warn("Protected paths changed, and no result told of it yet", { changes });
  }
}
