/**
 * What is protected in a session (S7, S8, S21): the plan of its policy, the repositories below its trees, those that
 * appear while it runs (S24), and what git obeys in all of them.
 */
import type { ProtectedChange } from "../../../base/command/protected_change.ts";
import type { Logger } from "../../../base/log.ts";
import type { GuardPlan } from "../../../sandbox/protect/guard_view.ts";
import type { FoundRepositories } from "../../../sandbox/protect/nested_repositories.ts";
import {
  madeRepositoryPaths,
  nestedRepositoryPaths,
  type ProtectedPath,
} from "../../../sandbox/protect/protected_paths.ts";
import { isWithin } from "../../../system/paths.ts";
import type { ConfigBroker } from "../git_config/config_broker.ts";
import type { MadeRepositories } from "../git_config/made_repositories.ts";
import type { ForeignSockets } from "../sockets/foreign_sockets.ts";
import { GitAnswers, type GitAnswersOptions } from "./git_query.ts";

export interface GuardedPlanOptions {
  readonly plan: GuardPlan;
  readonly looker: GitAnswersOptions["looker"];
  readonly logger: Logger;
  readonly ask: GitAnswersOptions["ask"];
  readonly repositoriesIn: (tree: string) => Promise<FoundRepositories>;
  readonly sockets: Pick<ForeignSockets, "add">;
  /** Undefined: no git is available. Without a broker commands see git's configuration read-only. */
  readonly gitConfig: {
    readonly broker: Pick<ConfigBroker, "add" | "links"> | undefined;
    readonly made: Pick<MadeRepositories, "begin" | "settle" | "kept" | "isComplete">;
  } | undefined;
}

export class GuardedPlan implements Disposable {
  readonly #options: GuardedPlanOptions;
  /** Undefined: there is no git to ask. */
  readonly #git: GitAnswers | undefined;
  /** Of repositories below the trees. */
  #nested: readonly ProtectedPath[] = [];
  /** Work trees of repositories that appeared later, and what is protected there. */
  readonly #kept = new Set<string>();
  #made: readonly ProtectedPath[] = [];
  #obeyed: ReadonlySet<string> = new Set();
  #current: GuardPlan;

  constructor(options: GuardedPlanOptions) {
    const { plan, looker, ask } = options;
    this.#options = options;
    this.#current = plan;
    this.#git = plan.git && new GitAnswers({ git: plan.git, trees: plan.trees.map(({ path }) => path), looker, ask });
  }

  /** The plan with all that is known by now: another object whenever that changes. */
  get current(): GuardPlan {
    return this.#current;
  }

  /** Protected only because git's configuration leads there. */
  get obeyed(): ReadonlySet<string> {
    return this.#obeyed;
  }

  /** A repository about which git did not answer; undefined: none. */
  get unanswered(): string | undefined {
    return this.#git?.unanswered;
  }

  /** Adds the repositories below the trees, and what git acts on: once, before the first command. */
  async findRepositories(): Promise<void> {
    const { plan: { trees, open, home }, repositoriesIn, logger, sockets, gitConfig } = this.#options;
    const asked = this.#git?.refresh(); // about the trees, while they are searched
    const found = await Promise.all(trees.map(async ({ path: tree }) => {
      const repositories = await repositoriesIn(tree);
      if (!repositories.complete) {
        logger.warn("Not all repositories below are protected: there are too many files", { tree });
      }
      await asked;
      this.#git?.add([...repositories.directories, ...repositories.bare]);
      sockets.add(repositories.others);
      return { repositories, paths: nestedRepositoryPaths(repositories, { tree, open, home }) };
    }));
    this.#nested = found.flatMap(({ paths }) => paths);
    await gitConfig?.made.begin({
      directories: found.flatMap(({ repositories }) => repositories.directories),
      bare: found.flatMap(({ repositories }) => repositories.bare),
    });
    if (gitConfig?.made.isComplete === false) {
      logger.warn("Not all repositories that commands make will be found: there are too many directories", {
        limit: "fs.inotify.max_user_watches",
      });
    }
    this.#addKept();
    await this.#git?.refresh();
    this.#update();
  }

  /** Asks git again if its answer may have changed; undefined: it has not. */
  askGit(): Promise<void> | undefined {
    return this.#git?.refresh()?.then(() => this.#update());
  }

  /** Checks the repositories that appeared (`MadeRepositories.settle`), and protects those that stay. */
  settleMade(how: Parameters<MadeRepositories["settle"]>[0]): Promise<readonly ProtectedChange[]> | undefined {
    return this.#options.gitConfig?.made.settle(how)?.then((changes) => {
      this.#addKept();
      return changes;
    });
  }

  /** Ends running queries to git. */
  [Symbol.dispose](): void {
    this.#git?.[Symbol.dispose]();
  }

  /** Protects what git obeys in repositories that appeared and stay. */
  #addKept(): void {
    const { plan: { trees, open, home }, gitConfig } = this.#options;
    const kept = [...gitConfig?.made.kept ?? []].filter((directory) => !this.#kept.has(directory));
    if (kept.length === 0) return;
    for (const directory of kept) this.#kept.add(directory);
    const named = kept.flatMap((directory) => {
      const tree = trees.find(({ path }) => isWithin(directory, path))?.path;
      return tree === undefined ? [] : madeRepositoryPaths(directory, { tree, open, home });
    });
    this.#made = [...this.#made, ...named];
    this.#git?.addMade(kept); // asked by the next refresh
    this.#update();
  }

  #update(): void {
    const { plan, gitConfig } = this.#options;
    const broker = gitConfig?.broker;
    const known = [...plan.protected, ...this.#nested];
    const obeyed = byPath([...this.#made, ...this.#git?.paths ?? []]).filter(({ path }) =>
      !plan.open.some((one) => isWithin(path, one)) && !known.some((one) => one.path === path)
    );
    this.#obeyed = new Set(obeyed.map(({ path }) => path));
    const all = [...known, ...obeyed];
    broker?.add(all);
    this.#current = { ...plan, protected: all, ...broker !== undefined && { links: broker.links } };
  }
}

function byPath(paths: readonly ProtectedPath[]): readonly ProtectedPath[] {
  return [...new Map(paths.map((one) => [one.path, one])).values()];
}
