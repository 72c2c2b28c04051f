/** Checks protected paths (S7, S8, S21) before each command, after it, and when its last process is gone. */
import type { ProtectedChange } from "../../../base/command/protected_change.ts";
import { UserError } from "../../../base/errors.ts";
import type { SandboxPolicy } from "../../../sandbox/policy/policy.ts";
import type { GuardPlan, GuardView, WatchingLooker } from "../../../sandbox/protect/guard_view.ts";
import { lookAtGuarded, type OwnChanges, protectedChanges } from "../../../sandbox/protect/path_snapshot.ts";
import { isWithin } from "../../../system/paths.ts";
import type { ConfigBroker } from "../git_config/config_broker.ts";
import type { LaunchImages } from "../launch/launch_images.ts";
import { type ForeignSockets, withCovered } from "../sockets/foreign_sockets.ts";
import { ChangeReports } from "./change_reports.ts";
import { GuardedPlan, type GuardedPlanOptions } from "./guarded_plan.ts";
import { isSeparated, SecondNames, type Separates } from "./hard_links.ts";
import { GrantWatch, WatchedView } from "./watched_view.ts";

export interface ProtectedStateOptions extends Omit<GuardedPlanOptions, "sockets" | "gitConfig"> {
  readonly looker: WatchingLooker & Separates;
  /** The images for launches, updated with protected and granted paths. */
  readonly images: Pick<LaunchImages, "adopt" | "invalidatePrewarmed">;
  readonly ownChanges: OwnChanges;
  /** All running commands of the session, under this plan or another; kept up to date here. */
  readonly commands: Set<GuardedCommand>;
  readonly sockets: Pick<ForeignSockets, "add" | "look" | "covered" | "closed">;
  readonly gitConfig:
    | NonNullable<GuardedPlanOptions["gitConfig"]> & {
      readonly broker: Pick<ConfigBroker, "add" | "follow" | "links" | "settle"> | undefined;
    }
    | undefined;
}

/** A command from its first check to the end of its last process. */
export interface GuardedCommand {
  /** What was guarded at its launch; undefined: it was not launched. */
  view: GuardView | undefined;
  /** What git obeyed then. */
  obeyed: ReadonlySet<string>;
  /** It does nothing at this moment, as our own worker between calls; absent: it may. */
  rests?: boolean;
}

/** The parts of a process tree that the checks need. */
export interface Tree {
  readonly isOver: boolean;
  readonly gone: Promise<void>;
}

/** `mounted`: with namespaces. */
interface How {
  readonly mounted: boolean;
}

export class ProtectedState implements Disposable {
  readonly #options: ProtectedStateOptions;
  readonly #secondNames: SecondNames;
  readonly #grants: GrantWatch;
  readonly #guarded: GuardedPlan;
  readonly #reports: ChangeReports;
  /** Of the plan as it was then. */
  #watched: { readonly plan: GuardPlan; readonly view: WatchedView } | undefined;
  /** Paths already reported as holding too much. */
  readonly #overfull = new Set<string>();
  readonly #commands: Set<GuardedCommand>;

  constructor(options: ProtectedStateOptions) {
    const { plan, looker } = options;
    this.#options = options;
    this.#commands = options.commands;
    this.#secondNames = new SecondNames(looker, plan.trees, options.ownChanges);
    this.#grants = new GrantWatch(looker);
    this.#guarded = new GuardedPlan(options);
    this.#reports = new ChangeReports(options.logger);
  }

  /** Adds the repositories below the trees, and what git acts on: once, before the first command. */
  findRepositories(): Promise<void> {
    return this.#guarded.findRepositories();
  }

  /** Asks git again, if its answer may have changed, and checks new repositories, before each check. */
  refresh(): Promise<void> | undefined {
    const ask = () => this.#guarded.askGit();
    const made = this.#guarded.settleMade({ quiet: this.isQuiet })?.then((changes) => this.#reports.keep(changes));
    return made === undefined ? ask() : made.then(ask);
  }

  /** Whether no command does anything, so that what appears is of other programs. */
  get isQuiet(): boolean {
    return this.#commands.values().every(({ view, rests }) => view === undefined || rests === true);
  }

  /** Announces a command before its first check; `ended` or `abandon` must follow. */
  begin(): GuardedCommand {
    const command: GuardedCommand = { view: undefined, obeyed: this.#guarded.obeyed };
    this.#commands.add(command);
    return command;
  }

  /**
   * Checks paths for the next launch, or for no command. Undefined: there is no sandbox. @throws {UserError} When
   * commands could read or change what they must not.
   */
  look(policy: SandboxPolicy | undefined, command?: GuardedCommand): GuardView | undefined {
    if (policy === undefined) return undefined;
    const { images } = this.#options;
    const how = { mounted: policy.namespaces };
    const { view, separated } = this.#separate(this.#look(how), how);
    this.#reports.keep(separated);
    this.#refuseUncovered(view);
    this.#options.gitConfig?.broker?.follow(view);
    if (policy.confinement.unixSockets === "private") this.#lookAtSockets(policy);
    const covered = this.#withSockets(view, policy);
    if (command !== undefined) command.view = covered;
    images.adopt(covered);
    if (!this.#grants.areUnchanged(policy)) images.invalidatePrewarmed();
    return covered;
  }

  /** Reports changes to `onChange` (absent: by the next result), and checks again when `trees` are gone. */
  async ended(
    command: GuardedCommand,
    trees: readonly Tree[],
    policy: SandboxPolicy | undefined,
    onChange: ((changes: readonly ProtectedChange[]) => void) | undefined,
  ): Promise<void> {
    if (command.view === undefined || policy === undefined) return this.abandon(command);
    const running = trees.filter(({ isOver }) => !isOver); // asked before the check, so that no later check is needed
    const after = await this.lineEnded(command, policy, onChange);
    if (running.length > 0) void this.#lookLater(command, running, after, { mounted: policy.namespaces });
    else this.abandon(command);
  }

  /** Reports changes since the last check of a running `command`. @returns what is there now */
  async lineEnded(
    command: GuardedCommand,
    policy: SandboxPolicy,
    onChange: ((changes: readonly ProtectedChange[]) => void) | undefined,
  ): Promise<GuardView> {
    const notKept = await this.#options.gitConfig?.broker?.settle() ?? [];
    const takenOut = await this.#guarded.settleMade({ quiet: this.isQuiet }) ?? [];
    await this.refresh();
    const after = this.#tellSince(command, { mounted: policy.namespaces }, {
      onChange,
      git: [...notKept, ...takenOut],
    });
    this.#options.images.adopt(this.#withSockets(after, policy));
    return after;
  }

  /** A check during a running `command`. `watched`: changes since then may come from it, and the next result reports them. */
  resume(command: GuardedCommand, policy: SandboxPolicy, { watched }: { readonly watched: boolean }): GuardView {
    if (watched) this.#tellSince(command, { mounted: policy.namespaces }, { onChange: undefined, git: [] });
    return this.look(policy, command) as GuardView; // there is one whenever there is a policy
  }

  /** No process of the command is left. */
  abandon(command: GuardedCommand | undefined): void {
    if (command !== undefined) this.#commands.delete(command);
  }

  /** Ends running queries to git. */
  [Symbol.dispose](): void {
    this.#guarded[Symbol.dispose]();
  }

  #tellSince(
    command: GuardedCommand,
    how: How,
    { onChange, git }: {
      readonly onChange: ((changes: readonly ProtectedChange[]) => void) | undefined;
      readonly git: readonly ProtectedChange[];
    },
  ): GuardView {
    const before = command.view;
    if (before === undefined) throw new TypeError("A command was not checked before its launch");
    const { after, found: changed } = this.#changes(before, command.obeyed, how);
    // Nothing outside obeys what was set aside.
    const isAside = (found: ProtectedChange) =>
      git.some(({ path, change }) => change === "set_aside" && isWithin(found.path, path)) ||
      this.#reports.isAside(found, after);
    const found = [...changed.filter((one) => !isAside(one)), ...git];
    // A run without its own result, such as a check, adds only changes that no other result reported.
    if (onChange === undefined) this.#reports.keepNew(found, after);
    else this.#reports.tell(found, onChange);
    this.#reports.remember(found, after);
    command.view = after;
    command.obeyed = this.#guarded.obeyed;
    return after;
  }

  /** The view that also covers sockets of other programs, as of the last check. */
  #withSockets(view: GuardView, { confinement }: SandboxPolicy): GuardView {
    return confinement.unixSockets === "private" ? withCovered(view, this.#options.sockets) : view;
  }

  #lookAtSockets(policy: SandboxPolicy): void {
    const { sockets, logger } = this.#options;
    const before = sockets.closed;
    sockets.look(policy);
    const { closed } = sockets;
    if (closed !== undefined && closed !== before) logger.warn(closed);
  }

  #refuseUncovered({ exposed, unreadable }: GuardView): void {
    const [secret] = exposed;
    if (secret !== undefined) {
      throw new UserError(
        `Cannot run commands: they could read "${secret}", and this system refuses the namespaces that would hide it. ` +
          `Choose a scope and --read directories that do not hold it, or allow it with --allow-read-sensitive ${secret}`,
      );
    }
    const unanswered = this.#guarded.unanswered;
    if (unanswered !== undefined) {
      throw new UserError(
        `Cannot run commands: git does not list its configuration in "${unanswered}", so the files it obeys ` +
          "cannot be protected. Run git config --list there to see why",
      );
    }
    const [link] = unreadable;
    if (link !== undefined) {
      throw new UserError(
        `Cannot run commands: "${link}" leads to a name that is not valid UTF-8, so it cannot be protected. Remove it`,
      );
    }
  }

  /** What changed since `before`, and the view it was found in. */
  #changes(before: GuardView, obeyed: ReadonlySet<string>, how: How) {
    const { view: after, separated } = this.#separate(this.#look(how), how);
    const isNew = (path: string) => this.#guarded.obeyed.has(path) && !obeyed.has(path);
    const found = this.#found(before, after, separated)
      .map((one): ProtectedChange => isNew(one.path) && !isSeparated(one) ? { ...one, change: "obeyed" } : one);
    return { after, found };
  }

  /** Checks again when everything that a command left running is gone; skips what another command's result reported. */
  async #lookLater(command: GuardedCommand, running: readonly Tree[], after: GuardView, how: How): Promise<void> {
    await Promise.all(running.map(({ gone }) => gone));
    const { view, separated } = this.#separate(this.#look(how), how);
    this.#reports.keepNew(this.#found(after, view, separated), view);
    this.#reports.keep(await this.#guarded.settleMade({ quiet: false }) ?? []);
    this.abandon(command);
  }

  /** The differences between two views, and the outcome for files with second names before the later one. */
  #found(before: GuardView, after: GuardView, separated: readonly ProtectedChange[]): readonly ProtectedChange[] {
    const changed = this.#options.ownChanges.without(protectedChanges(before, after), before, after);
    const isKnown = ({ path, change }: ProtectedChange) =>
      change === "changed" && changed.some((one) => one.path === path);
    return [...changed, ...separated.filter((one) => !isKnown(one))];
  }

  #look({ mounted }: How): GuardView {
    // Without mounts a view also holds the contents of directories, which are not watched.
    const view = mounted
      ? this.#mountedView()
      : lookAtGuarded(this.#guarded.current, this.#options.looker, { mounted });
    const overfull = view.overfull.filter((path) => !this.#overfull.has(path));
    for (const path of overfull) this.#overfull.add(path);
    this.#reports.keep(overfull.map((path) => ({ path, change: "unwatched" })));
    return view;
  }

  /** A command with other mounts can give second names to files that are protected now, unnoticed by the watch. */
  #mountedView(): GuardView {
    const view = this.#watchedView().look();
    if (this.#commands.values().every((one) => one.view === undefined || one.view.mounts === view.mounts)) return view;
    this.#closeWatch();
    return this.#watchedView().look();
  }

  /** Separates protected files from their second names, and checks again if there were any. */
  #separate(view: GuardView, how: How): { readonly view: GuardView; readonly separated: readonly ProtectedChange[] } {
    if (!how.mounted || view.shared.length === 0) return { view, separated: [] };
    const separated = this.#secondNames.separate(view.shared);
    if (!separated.some(isSeparated)) return { view, separated };
    return { view: this.#look(how), separated };
  }

  #watchedView(): WatchedView {
    const plan = this.#guarded.current;
    if (this.#watched?.plan === plan) return this.#watched.view;
    this.#closeWatch();
    const { looker } = this.#options;
    const view = new WatchedView(() => lookAtGuarded(plan, looker, { mounted: true }), looker);
    this.#watched = { plan, view };
    return view;
  }

  #closeWatch(): void {
    this.#watched?.view.close();
    this.#watched = undefined;
  }
}
