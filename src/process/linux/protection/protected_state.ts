/**
 * Protected paths around every command (S7, S8, S21): a look before its launch decides what is mounted, a look after it
 * tells what changed, and one more follows when the last process it left behind is gone.
 */
import type { ProtectedChange } from "../../../base/command/protected_change.ts";
import type { SandboxPolicy } from "../../../sandbox/policy/policy.ts";
import type { GuardView } from "../../../sandbox/protect/guard_view.ts";
import type { LaunchImages } from "../launch/launch_images.ts";
import type { GrantWatch } from "./grant_watch.ts";
import type { Launched, ProtectionMonitor } from "./protection_monitor.ts";

export interface ProtectedStateOptions {
  /** Undefined: nothing is protected. */
  readonly monitor: ProtectionMonitor | undefined;
  readonly grants: GrantWatch;
  /** What launches are made of: it follows what is protected and granted. */
  readonly images: Pick<LaunchImages, "adopt" | "invalidatePrewarmed">;
}

/** A process tree, as far as the looks need it. */
interface Tree {
  readonly isOver: boolean;
  readonly gone: Promise<void>;
}

export class ProtectedState implements Disposable {
  readonly #options: ProtectedStateOptions;

  constructor(options: ProtectedStateOptions) {
    this.#options = options;
  }

  /** Adds the repositories below the scopes: once, before the first command. */
  async findRepositories(): Promise<void> {
    await this.#options.monitor?.findRepositories();
  }

  /** Asks git again what it obeys, where that may have changed; undefined: it has not. To be done before each look. */
  refresh(): Promise<void> | undefined {
    return this.#options.monitor?.refresh();
  }

  /**
   * Looks at what is protected and granted, for what is launched next.
   * @throws {UserError} When nothing may run, because commands could read what must stay hidden.
   */
  look(policy: SandboxPolicy | undefined, launched?: Launched): GuardView | undefined {
    const { monitor, grants, images } = this.#options;
    const view = policy && monitor?.look({ mounted: policy.namespaces }, launched);
    images.adopt(view);
    if (policy !== undefined && !grants.areUnchanged(policy)) images.invalidatePrewarmed();
    return view;
  }

  /** Announces a command, before its first look. */
  begin(): GuardedCommand {
    return new GuardedCommand(this, this.#options);
  }

  /** Ends what git is still asked. */
  [Symbol.dispose](): void {
    this.#options.monitor?.[Symbol.dispose]();
  }
}

/** What is protected, during one command; to be told of its end by `ended` or `abandon`. */
export class GuardedCommand {
  readonly #state: ProtectedState;
  readonly #options: ProtectedStateOptions;
  readonly #launched: Launched | undefined;

  constructor(state: ProtectedState, options: ProtectedStateOptions) {
    this.#state = state;
    this.#options = options;
    this.#launched = options.monitor?.launching();
  }

  /** Looks before a launch of the command. @throws {UserError} As `ProtectedState.look()`. */
  look(policy: SandboxPolicy | undefined): GuardView | undefined {
    return this.#state.look(policy, this.#launched);
  }

  /** Nothing of the command runs. */
  abandon(): void {
    if (this.#launched !== undefined) this.#options.monitor?.ended(this.#launched);
  }

  /**
   * Tells `onChange` what changed while the command ran, and looks again when all of `trees` are gone. Absent: the next
   * result tells of it.
   */
  async ended(
    trees: readonly Tree[],
    policy: SandboxPolicy | undefined,
    onChange: ((changes: readonly ProtectedChange[]) => void) | undefined,
  ): Promise<void> {
    const { monitor, images } = this.#options;
    const launched = this.#launched;
    if (monitor === undefined || launched?.view === undefined || policy === undefined) return this.abandon();
    const { view, obeyed } = launched;
    await monitor.refresh();
    const how = { mounted: policy.namespaces };
    const running = trees.filter(({ isOver }) => !isOver); // asked before the look, which so is the last one needed
    const { after, changes } = monitor.changes({ view, obeyed }, how);
    if (onChange === undefined) monitor.keep(changes);
    else if (changes.length > 0) onChange(changes);
    images.adopt(after);
    if (running.length === 0) return this.abandon();
    void monitor.lookLater(Promise.all(running.map(({ gone }) => gone)), after, how).then(() => this.abandon());
  }
}
