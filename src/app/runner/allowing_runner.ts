/**
 * The runner of a session in which a person allows paths while it lives (S35). What is allowed makes another sandbox, with
 * the same directories and network: commands that start from then on run in it, those that run keep theirs.
 */
import type { CommandEnd } from "../../base/command/command_end.ts";
import { type PathSubject, pinKey, type PinnedSubject } from "../../base/command/grant_subject.ts";
import { messageOf } from "../../base/errors.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type {
  CommandHooks,
  CommandRequest,
  OpenCommand,
  OpenRequest,
  OpenShell,
  SessionRunner,
} from "../../process/command_runner.ts";
import { LinuxRunner, type LinuxRunnerOptions } from "../../process/linux/linux_runner.ts";
import { SessionParts } from "../../process/linux/session_parts.ts";
import { stillLeads } from "../../sandbox/allowed_paths.ts";
import type { EndedCommand } from "../../sandbox/denials/question.ts";
import type { Policy } from "../../settings/policy/policy.ts";
import { AllowedSandbox } from "./allowed_sandbox.ts";
import { ExplainedRunner } from "./explained_runner.ts";

/** What a person allows beyond the settings, as the sandboxes of commands have it. */
export interface PathGrants {
  /** By what is there now; undefined: nothing is, not at this very path, or it is another user's. */
  pin(subject: PathSubject): PinnedSubject | undefined;
  /**
   * Sets all that commands may use in addition, if they start from now on; empty: nothing. The problem: why that cannot
   * be. Nothing is open then that was not open before, and what was taken back is not.
   */
  settle(allowed: readonly PinnedSubject[]): Promise<string | undefined>;
  /** Runs one command that may use `more` too. */
  runWith(more: readonly PinnedSubject[], request: CommandRequest, hooks: CommandHooks): Promise<CommandEnd>;
}

export class AllowingRunner implements SessionRunner, PathGrants {
  readonly #options: LinuxRunnerOptions & { readonly parts: SessionParts };
  readonly #policy: Policy | undefined;
  readonly #sandboxes = new Set<AllowedSandbox>();
  #current: AllowedSandbox;
  /** What was asked for last. */
  #wanted: readonly PinnedSubject[] = [];
  #settling: Promise<unknown> = Promise.resolve();
  /** Commands wait while something is being taken back; undefined: nothing is. */
  #closing: Promise<unknown> | undefined;

  /** `policy`: of the machine; undefined: none holds. */
  constructor(options: LinuxRunnerOptions, policy: Policy | undefined) {
    this.#policy = policy;
    this.#options = { ...options, parts: new SessionParts(options) };
    this.#current = this.#open(options.sandbox, []);
  }

  /** That of the commands that start now. */
  get current(): LinuxRunner {
    return this.#current.runner;
  }

  get policy(): SessionRunner["policy"] {
    return this.current.policy;
  }

  get selfTest(): SessionRunner["selfTest"] {
    return this.current.selfTest;
  }

  warmUp(): Promise<void> {
    return this.current.warmUp();
  }

  async run(request: CommandRequest, hooks: CommandHooks): Promise<CommandEnd> {
    const { within } = request;
    if (within !== undefined) return await this.#sandboxOf(within).run(request, hooks);
    return await this.#inCurrent((sandbox) => sandbox.run(request, hooks));
  }

  /** @throws {Error} When the system cannot start a process. */
  async open(request: OpenRequest, hooks: CommandHooks): Promise<OpenCommand> {
    return await this.#inCurrent((sandbox) => sandbox.open(request, hooks));
  }

  /** @throws {Error} When it cannot be started. */
  async openShell(directory: string): Promise<OpenShell> {
    return await this.#inCurrent((sandbox) =>
      sandbox.openShell(directory, () => isPartOf(sandbox.allowed, this.#wanted))
    );
  }

  /** See `ExplainedRunner.explain`: of a program that runs under what is allowed now. */
  explain(command: EndedCommand): ReturnType<AllowedSandbox["explained"]["explain"]> {
    return this.#current.explained.explain(command);
  }

  async settled(): Promise<void> {
    await Promise.all([...this.#sandboxes].map(({ runner }) => runner.settled()));
  }

  pin(subject: PathSubject): PinnedSubject | undefined {
    const facts = this.#options.parts.spawner.lookAt(subject.path);
    // Files of other users cannot be opened; one look gives owner and identity.
    if (facts === undefined || facts.uid !== 0 && facts.uid !== Deno.uid()) return undefined;
    const { kind, path } = subject;
    const pinned = { kind, path, identity: { device: facts.device, inode: facts.inode } };
    return this.#holds(pinned) ? pinned : undefined;
  }

  settle(allowed: readonly PinnedSubject[]): Promise<string | undefined> {
    const isLess = !isPartOf(this.#wanted, allowed);
    this.#wanted = allowed;
    const turn = this.#settling.then(() => this.#switchTo(allowed));
    this.#settling = turn;
    if (isLess) this.#closeUntil(turn);
    return turn;
  }

  async runWith(more: readonly PinnedSubject[], request: CommandRequest, hooks: CommandHooks): Promise<CommandEnd> {
    await this.#lookAgain();
    const { allowed } = this.#current;
    const made = await this.#make([...allowed, ...more], { pool: false });
    if (!made.ok) return await this.run(request, hooks);
    try {
      return await (isPartOf(allowed, this.#wanted) ? made.value : this.#current).run(request, hooks);
    } finally {
      void this.#retire(made.value);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#settling;
    const others = [...this.#sandboxes].filter((one) => one !== this.#current);
    await Promise.all(others.map((one) => one[Symbol.asyncDispose]()));
    await this.#current[Symbol.asyncDispose]();
  }

  /** Uses the current sandbox: no other one takes its place between the look and the use. */
  async #inCurrent<Result>(use: (sandbox: AllowedSandbox) => Promise<Result>): Promise<Result> {
    await this.#lookAgain();
    return await use(this.#current);
  }

  /** What was allowed holds for what was there then: a path that leads elsewhere by now opens nothing (S20). */
  async #lookAgain(): Promise<void> {
    await this.#closing;
    const { allowed } = this.#current;
    const held = allowed.filter((one) => this.#holds(one));
    if (held.length < allowed.length) await this.settle(held);
  }

  #closeUntil(turn: Promise<unknown>): void {
    const closing = turn.finally(() => {
      if (this.#closing === closing) this.#closing = undefined;
    });
    this.#closing = closing;
  }

  #sandboxOf(shell: OpenShell): AllowedSandbox {
    return [...this.#sandboxes].find((one) => one.has(shell)) ?? this.#current;
  }

  /** A file that programs replace by another one, as they do with what is protected, stays the same path. */
  #holds(subject: PinnedSubject): boolean {
    if (subject.kind === "protected") return true;
    return stillLeads(subject, { identityOf: (path) => this.#options.parts.spawner.lookAt(path) });
  }

  async #switchTo(allowed: readonly PinnedSubject[]): Promise<string | undefined> {
    const before = this.#current;
    if (isPartOf(before.allowed, allowed) && isPartOf(allowed, before.allowed)) return undefined;
    const made = await this.#make(allowed, {});
    if (made.ok) this.#current = made.value;
    else if (isPartOf(before.allowed, allowed)) return made.problem;
    else this.#current = this.#open(this.#options.sandbox, []); // what was taken back must not stay open
    void this.current.warmUp().catch((thrown: unknown) => this.#options.logger.warn(messageOf(thrown)));
    void this.#retire(before);
    return made.ok ? undefined : made.problem;
  }

  async #make(
    allowed: readonly PinnedSubject[],
    options: Partial<LinuxRunnerOptions>,
  ): Promise<Outcome<AllowedSandbox>> {
    const [policy] = await Promise.allSettled([this.policy]);
    if (policy.status === "rejected" || policy.value?.namespaces !== true) return failure(NO_NAMESPACES);
    try {
      const sandbox = this.#options.sandbox.allowing(allowed);
      if (!sandbox.ok) return sandbox;
      const made = this.#open(sandbox.value, allowed, { ...options, proof: undefined });
      try {
        await made.runner.confirm();
        await made.runner.checkGuard();
        return success(made);
      } catch (thrown) {
        void this.#retire(made);
        throw thrown;
      }
    } catch (thrown) {
      return failure(messageOf(thrown));
    }
  }

  #open(
    sandbox: LinuxRunnerOptions["sandbox"],
    allowed: readonly PinnedSubject[],
    options: Partial<LinuxRunnerOptions> = {},
  ): AllowedSandbox {
    const runner = new LinuxRunner({ ...this.#options, ...options, sandbox });
    const opened = new AllowedSandbox(new ExplainedRunner(runner, sandbox, this.#policy), runner, allowed);
    this.#sandboxes.add(opened);
    return opened;
  }

  async #retire(sandbox: AllowedSandbox): Promise<void> {
    await sandbox.retire();
    this.#sandboxes.delete(sandbox);
  }
}

const NO_NAMESPACES =
  "This system has no namespaces to give commands other paths while the server runs: start it with the flag";

function isPartOf(some: readonly PinnedSubject[], all: readonly PinnedSubject[]): boolean {
  return some.every((one) => all.some((other) => pinKey(one) === pinKey(other)));
}
