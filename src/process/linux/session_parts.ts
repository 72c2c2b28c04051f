/**
 * What all sandboxes of a session share when a person allows more and later commands get another one (S35): the
 * network, its ports, git's configuration, known repositories.
 */
import { lazy } from "../../base/lazy.ts";
import type { Logger } from "../../base/log.ts";
import { failure, type Outcome } from "../../base/outcome.ts";
import type { Terminator } from "../../relay/terminator.ts";
import type { Sandbox } from "../../sandbox/prepare_linux.ts";
import { findNestedRepositories, type FoundRepositories } from "../../sandbox/protect/nested_repositories.ts";
import { OwnChanges } from "../../sandbox/protect/path_snapshot.ts";
import { ControlFiles } from "../../system/open_files/control_files.ts";
import type { ControlGroups } from "../groups/control_groups.ts";
import type { GroupLimits } from "../groups/group_usage.ts";
import { askProgram, Spawner } from "../spawn.ts";
import { type GitConfig, openGitConfig } from "./git_config/open_git_config.ts";
import { withFurther } from "./git_config/further_trees.ts";
import { SessionNetwork } from "./network/named_network.ts";
import type { GuardedCommand } from "./protection/protected_state.ts";
import { NarrowedNetworks } from "./readiness/narrowed_networks.ts";
import { NetworkOnce } from "./readiness/network_once.ts";
import { openGroups } from "./readiness/open_groups.ts";

export interface SessionPartsOptions {
  /** The session's first. */
  readonly sandbox: Sandbox;
  readonly logger: Logger;
  /** See `LinuxRunnerOptions`. */
  readonly terminator?: Terminator | undefined;
  /** Of the tree of each launch; absent: launches have no control groups. */
  readonly limits?: GroupLimits;
}

/** They are closed when the last runner that joined has left. */
export class SessionParts {
  readonly spawner: Spawner;
  readonly network: SessionNetwork;
  readonly once = new NetworkOnce();
  readonly narrowed: NarrowedNetworks;
  readonly ownChanges = new OwnChanges();
  /** All running commands, in any sandbox. */
  readonly commands = new Set<GuardedCommand>();
  /** The control groups of launches, opened at the first call. The problem is why there are none. */
  readonly groups: () => Promise<Outcome<ControlGroups>>;
  readonly #files = new ControlFiles();
  readonly #sandbox: Sandbox;
  /** Of the first sandbox's trees. Undefined: no git is available. */
  readonly #gitConfig: GitConfig | undefined;
  /** Below the trees of the first sandbox. */
  readonly #repositories = new Map<string, Promise<FoundRepositories>>();
  #further = 0;
  #runners = 0;

  constructor({ sandbox, logger, terminator, limits }: SessionPartsOptions) {
    this.#sandbox = sandbox;
    this.spawner = new Spawner(sandbox.processor, sandbox.directories.root);
    const { spawner, ownChanges } = this;
    const { processor } = sandbox;
    this.groups = lazy(async () =>
      limits === undefined
        ? failure("none are wanted")
        : await openGroups({ spawner, files: this.#files, processor, limits })
    );
    this.network = new SessionNetwork({ logger, terminator });
    this.narrowed = new NarrowedNetworks({ sandbox, spawner, network: this.network, logger });
    this.#gitConfig = openGitConfig({
      sandbox,
      trees: sandbox.guard?.trees ?? [],
      name: "",
      looker: spawner,
      ask: askProgram,
      ownChanges,
    });
  }

  /** Repositories below a tree; for the first sandbox's trees, as before the first command. */
  readonly repositoriesIn = (tree: string): Promise<FoundRepositories> => {
    if (!this.#isFirst(tree)) return findNestedRepositories(tree);
    const found = this.#repositories.get(tree) ?? findNestedRepositories(tree);
    this.#repositories.set(tree, found);
    return found;
  };

  /** Git's configuration in the trees of a sandbox; the first one's is shared. Undefined: no git is available. */
  gitConfigOf(sandbox: Sandbox): GitConfig | undefined {
    if (sandbox === this.#sandbox || this.#gitConfig === undefined) return this.#gitConfig;
    const { spawner: looker, ownChanges } = this;
    const trees = (sandbox.guard?.trees ?? []).filter(({ path }) => !this.#isFirst(path));
    const name = `${++this.#further}-`;
    const further = trees.length === 0
      ? undefined
      : openGitConfig({ sandbox, trees, name, looker, ask: askProgram, ownChanges });
    return withFurther(this.#gitConfig, further, trees);
  }

  /** Whether one runner is left. */
  get isLast(): boolean {
    return this.#runners === 1;
  }

  join(): void {
    this.#runners++;
  }

  /** Called when a runner with nothing running leaves, with its `gitConfigOf`. */
  async leave(gitConfig: GitConfig | undefined): Promise<void> {
    if (gitConfig !== this.#gitConfig) gitConfig?.[Symbol.dispose]();
    if (--this.#runners > 0) return;
    this.#gitConfig?.[Symbol.dispose]();
    await this.narrowed[Symbol.asyncDispose]();
    await this.once[Symbol.asyncDispose]();
    await this.network[Symbol.asyncDispose]();
    this.spawner.groups?.[Symbol.dispose]();
    this.#files[Symbol.dispose]();
    this.spawner.close();
  }

  #isFirst(tree: string): boolean {
    return this.#sandbox.guard?.trees.some(({ path }) => path === tree) === true;
  }
}
