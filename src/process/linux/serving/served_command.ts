/**
 * A command in a sandbox that serves: the launcher reports its end, and the sandbox continues without it. If the
 * command left anything behind, the sandbox ends with everything in it.
 */
import type { CommandEnd, LeftRunning } from "../../../base/command/command_end.ts";
import type { CommandHooks } from "../../command_runner.ts";
import type { LauncherStatus } from "../../spawn.ts";
import { BACKGROUND_GRACE_MS, OUTPUT_GRACE_MS, terminateOnAbort } from "../../supervision.ts";
import {
  endOfFailure,
  endOfLauncher,
  isLaunchFault,
  type LauncherReport,
  type ProcessEnd,
  type StepFailure,
} from "../launch/launcher_reports.ts";

/** What a sandbox does for its command. */
export interface SandboxOfCommand {
  /** Sends SIGTERM to the command's process group, as soon as there is one. */
  terminate(): void;
  /** Ends the sandbox. */
  kill(): void;
  /** The living processes that a command left, by name; undefined: none. */
  leftRunning(): LeftRunning | undefined;
}

/** The name of a command in messages. */
export interface ServedNames {
  /** Names of the steps, the launcher's first. */
  readonly steps: readonly string[];
  readonly program: string;
}

export class ServedCommand {
  /** As `CommandTree.end`. */
  readonly end: Promise<CommandEnd>;
  /** Settles when nothing of the command is left. */
  readonly gone: Promise<void>;
  readonly #names: ServedNames;
  readonly #sandbox: SandboxOfCommand;
  readonly #signal: AbortSignal;
  readonly #ended = Promise.withResolvers<CommandEnd>();
  readonly #gone = Promise.withResolvers<void>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #isOver = false;
  #terminating = false;
  #failure: StepFailure | undefined;
  #firstEnd: ProcessEnd | undefined;
  #left: LeftRunning | undefined;
  /** False: no process took the command, so it has not run. */
  accepted = true;

  constructor(names: ServedNames, sandbox: SandboxOfCommand, { signal }: Pick<CommandHooks, "signal">) {
    this.#names = names;
    this.#sandbox = sandbox;
    this.#signal = signal;
    this.end = this.#ended.promise;
    this.gone = terminateOnAbort(signal, (killAfterMs) => this.#terminate(killAfterMs), this.#gone.promise);
  }

  /** Whether a step of the launcher failed before the command's program: nothing ran, and not by the command's fault. */
  get refused(): boolean {
    return this.#failure !== undefined && isLaunchFault(this.#failure, this.#names.steps);
  }

  /** Whether nothing of the command is known to be left. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether it was asked to end: its sandbox is of no further use then. */
  get isTerminated(): boolean {
    return this.#terminating || this.#signal.aborted;
  }

  /** What the launcher reports while it has this command. */
  note(report: Extract<LauncherReport, { kind: "ended" | "failed" }>): void {
    if (report.kind === "failed") {
      this.#failure ??= report;
      return;
    }
    this.#firstEnd = report.end;
    this.accepted &&= report.taken;
    if (report.clean) return this.#finish();
    if (report.alone) return this.#after(OUTPUT_GRACE_MS, () => this.#sandbox.kill());
    this.#after(this.#terminating ? 0 : BACKGROUND_GRACE_MS, () => this.#sweep());
  }

  /** The launcher will write nothing more. */
  outputEnded(): void {
    if (this.#firstEnd !== undefined && !this.#terminating) this.#ended.resolve(this.#describe());
  }

  /** The sandbox is gone, and with it the command. */
  sandboxGone(status: LauncherStatus): void {
    this.#finish(status);
  }

  /** Sends SIGTERM, and ends the sandbox after this many milliseconds. */
  #terminate(killAfterMs: number): void {
    if (this.#terminating || this.#isOver) return;
    this.#terminating = true;
    this.#sandbox.terminate();
    this.#after(killAfterMs, () => this.#sandbox.kill());
  }

  /** Ends and remembers the processes that a command left running when it ended by itself. */
  #sweep(): void {
    if (!this.#terminating) this.#left = this.#sandbox.leftRunning();
    this.#sandbox.kill();
  }

  #finish(status?: LauncherStatus): void {
    this.#isOver = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#ended.resolve(this.#describe(status));
    this.#gone.resolve();
  }

  #after(milliseconds: number, action: () => void): void {
    this.#timers.add(setTimeout(action, milliseconds));
  }

  #describe(status?: LauncherStatus): CommandEnd {
    const names = this.#names;
    if (this.#failure !== undefined) return endOfFailure(this.#failure, names.steps, names.program);
    if (this.#firstEnd === undefined) return endOfLauncher(status, names.program);
    return { ...this.#firstEnd, ...this.#left !== undefined && { left: this.#left } };
  }
}
