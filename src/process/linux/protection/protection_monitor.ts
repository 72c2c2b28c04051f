/**
 * What a session guards, looked at around every command (S7, S8, S21): before it for the mounts it needs, after it for
 * what changed, and once more when the last process it left behind is gone.
 */
import type { ProtectedChange } from "../../../base/command/protected_change.ts";
import { UserError } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import { lookAtGuarded, protectedChanges } from "../../../sandbox/protect/path_guard.ts";
import type { GuardPlan, GuardView, WatchingLooker } from "../../../sandbox/protect/guard_view.ts";
import { findNestedRepositories } from "../../../sandbox/protect/nested_repositories.ts";
import { isWithin } from "../../../system/paths.ts";
import { nestedRepositoryPaths, type ProtectedPath } from "../../../sandbox/protect/protected_paths.ts";
import { GitAnswers, type GitAnswersOptions } from "./git_query.ts";
import { SecondNames, type Separates } from "./hard_links.ts";
import { WatchedView } from "./watched_view.ts";

export interface ProtectionMonitorOptions {
  readonly plan: GuardPlan;
  /** Asked only when something is looked at. */
  readonly looker: WatchingLooker & Separates;
  readonly logger: Logger;
  readonly ask: GitAnswersOptions["ask"];
}

/** A command from its first look to the end of its last process. */
export interface Launched {
  /** What was guarded when it was launched; undefined: it has not been. */
  view: GuardView | undefined;
  /** What git obeyed then. */
  obeyed: ReadonlySet<string>;
}

/** `mounted`: with namespaces. */
interface How {
  readonly mounted: boolean;
}

export class ProtectionMonitor implements Disposable {
  readonly #options: ProtectionMonitorOptions;
  readonly #secondNames: SecondNames;
  /** Undefined: there is no git to ask. */
  readonly #git: GitAnswers | undefined;
  /** Of repositories below the trees. */
  #nested: readonly ProtectedPath[] = [];
  #obeyed: ReadonlySet<string> = new Set();
  #plan: GuardPlan;
  #view: WatchedView;
  #isComplete = true;
  readonly #launched = new Set<Launched>();
  /** Changes found after their command's result went out: they are told with the next one. */
  #late: readonly ProtectedChange[] = [];
  /** How each path was when a result told of it last. */
  readonly #told = new Map<string, string | undefined>();

  constructor(options: ProtectionMonitorOptions) {
    this.#options = options;
    this.#plan = options.plan;
    this.#secondNames = new SecondNames(options.looker, options.plan.trees);
    this.#view = this.#watched();
    const { plan: { git, trees }, looker, ask } = options;
    this.#git = git && new GitAnswers({ git, trees: trees.map(({ path }) => path), looker, ask });
  }

  /** Adds the repositories below the trees, and what git obeys: once, before the first command. */
  async findRepositories(): Promise<void> {
    const { plan: { trees, open, home }, logger } = this.#options;
    const found = await Promise.all(trees.map(async ({ path: tree }) => {
      const repositories = await findNestedRepositories(tree);
      if (!repositories.complete) logger.warn("Not all repositories below are protected: there is too much", { tree });
      this.#git?.add([...repositories.directories, ...repositories.bare]);
      return nestedRepositoryPaths(repositories, { tree, open, home });
    }));
    this.#nested = found.flat();
    await this.#git?.refresh();
    this.#planAgain();
  }

  /** Asks git again what it obeys, where that may have changed; undefined: it has not. To be done before each look. */
  refresh(): Promise<void> | undefined {
    return this.#git?.refresh()?.then(() => this.#planAgain());
  }

  /** Announces a command, before its first look; to be told of its end by `ended`. */
  launching(): Launched {
    const launched: Launched = { view: undefined, obeyed: this.#obeyed };
    this.#launched.add(launched);
    return launched;
  }

  /** No process of it is left. */
  ended(launched: Launched): void {
    this.#launched.delete(launched);
  }

  /**
   * The guarded paths of this moment, before a launch of `launched`; absent: of the self-test, or ahead of need.
   * @throws {UserError} When commands could read credentials, or change what is protected, and nothing can cover it.
   */
  look(how: How, launched?: Launched): GuardView {
    const { view, separated } = this.#separate(this.#look(how), how);
    this.keep(separated);
    const [secret] = view.exposed;
    if (secret !== undefined) {
      throw new UserError(
        `Cannot run commands: they could read "${secret}", and this system refuses the namespaces that would hide it. ` +
          `Choose a scope and --read directories that do not hold it, or insist with --allow-read-sensitive ${secret}`,
      );
    }
    const unanswered = this.#git?.unanswered;
    if (unanswered !== undefined) {
      throw new UserError(
        `Cannot run commands: git does not say what its configuration in "${unanswered}" makes it obey, so that this ` +
          "cannot be protected. See what git config --list does there",
      );
    }
    const [link] = view.unreadable;
    if (link !== undefined) {
      throw new UserError(
        `Cannot run commands: "${link}" leads to a name that is not valid UTF-8, so that it cannot be protected. Remove it`,
      );
    }
    if (launched !== undefined) launched.view = view;
    return view;
  }

  /** What changed since `before`, with what came to light late; and the view it was found in. */
  changes(
    { view: before, obeyed }: Launched & { readonly view: GuardView },
    how: How,
  ): { readonly after: GuardView; readonly changes: readonly ProtectedChange[] } {
    const seen = this.#look(how);
    const { view: after, separated } = this.#separate(seen, how);
    const isNew = (path: string) => this.#obeyed.has(path) && !obeyed.has(path);
    const changed = this.#secondNames.withoutOwn(protectedChanges(before, seen), before, seen)
      .map((one): ProtectedChange => isNew(one.path) ? { ...one, change: "obeyed" } : one);
    const found = [...changed, ...separated];
    const late = this.#late.filter(({ path }) => !found.some((one) => one.path === path));
    this.#late = [];
    for (const { path } of found) this.#told.set(path, after.seen.get(path));
    return { after, changes: [...late, ...found] };
  }

  /** Looks again when all that a command left running is gone; what another command's result told is known. */
  async lookLater(gone: Promise<unknown>, after: GuardView, how: How): Promise<void> {
    await gone;
    const seen = this.#look(how);
    const found = this.#secondNames.withoutOwn(protectedChanges(after, seen), after, seen)
      .filter(({ path }) => !this.#told.has(path) || this.#told.get(path) !== seen.seen.get(path));
    this.keep([...found, ...this.#separate(seen, how).separated]);
  }

  /** Tells the log, and the next result, of changes that no result told of. */
  keep(changes: readonly ProtectedChange[]): void {
    if (changes.length === 0) return;
    this.#late = [...this.#late, ...changes];
    this.#options.logger.warn("Protected paths changed, and no result told of it yet", { changes });
  }

  /** The plan with what is known by now of repositories and of git. */
  #planAgain(): void {
    const { plan } = this.#options;
    const known = [...plan.protected, ...this.#nested];
    const obeyed = (this.#git?.paths ?? []).filter(({ path }) =>
      !plan.open.some((one) => isWithin(path, one)) && !known.some((one) => one.path === path)
    );
    this.#obeyed = new Set(obeyed.map(({ path }) => path));
    this.#plan = { ...plan, protected: [...known, ...obeyed] };
    this.#view = this.#watched();
  }

  #look({ mounted }: How): GuardView {
    // Without mounts a view holds more than what is watched: what is in directories.
    const view = mounted ? this.#mountedView() : lookAtGuarded(this.#plan, this.#options.looker, { mounted });
    if (!view.complete && this.#isComplete) {
      this.#isComplete = false;
      this.#options.logger.warn("Not all that protected directories hold is looked at: there is too much");
    }
    return view;
  }

  /** A command that runs with other mounts can give second names to what is held now, which the watch does not see. */
  #mountedView(): GuardView {
    const view = this.#view.look();
    if (this.#launched.values().every((one) => one.view === undefined || one.view.mounts === view.mounts)) return view;
    this.#view = this.#watched();
    return this.#view.look();
  }

  /** Takes protected files apart from their second names, and looks again where there were any. */
  #separate(view: GuardView, how: How): { readonly view: GuardView; readonly separated: readonly ProtectedChange[] } {
    if (!how.mounted || view.shared.length === 0) return { view, separated: [] };
    const separated = this.#secondNames.separate(view.shared);
    if (!separated.some(({ change }) => change === "separated")) return { view, separated };
    const renewed = this.#look(how);
    this.#secondNames.remember(separated, view, renewed);
    return { view: renewed, separated };
  }

  #watched(): WatchedView {
    const { looker } = this.#options;
    return new WatchedView(() => lookAtGuarded(this.#plan, looker, { mounted: true }), looker);
  }

  /** Ends what git is still asked. */
  [Symbol.dispose](): void {
    this.#git?.[Symbol.dispose]();
  }
}
