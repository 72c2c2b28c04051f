/**
 * Follows one launched command from its first byte to the end of its last process, which is the launcher's own. The
 * result needs only the end of the output and of the first process; others get a short grace.
 */
import type { CommandEnd, LeftRunning } from "../../base/command/command_end.ts";
import type { CommandHooks } from "../command_runner.ts";
import type { LauncherProcess, LauncherStatus } from "../spawn.ts";
import { BACKGROUND_GRACE_MS, drain, KILLED_GRACE_MS, outputEnd, terminateOnAbort } from "../supervision.ts";
import { signalQuietly } from "../tree/descendants.ts";
import {
  endOfFailure,
  endOfLauncher,
  isLaunchFault,
  isSuccess,
  type LauncherReport,
  type ProcessEnd,
  ReportReader,
  type StepFailure,
} from "./launch/launcher_reports.ts";

/** Between two attempts to kill descendants, milliseconds; doubled each time. */
const KILL_RETRY_DELAY_MS = 5;
const LONGEST_KILL_RETRY_DELAY_MS = 100;

/** The launched command, and the system functions needed to follow it. */
export interface LaunchedCommand {
  readonly process: LauncherProcess;
  /** Names of the table's steps. */
  readonly steps: readonly string[];
  /** The program's name for messages. */
  readonly program: string;
  /** Whether the command has its own PID namespace. */
  readonly namespaces: boolean;
  /** The living children of a process, by name; undefined: none. */
  readonly leftRunning: (parent: number) => LeftRunning | undefined;
  /** Kills what it finds below a process; a tree that forks fast takes more than one attempt. */
  readonly killDescendants: (root: number) => void;
}

/** The processes of a launched command. */
export class CommandTree {
  /**
   * How the command ended. It settles when the first process and the output have ended, and remaining processes have
   * been ended. After an abort it waits until the whole tree is gone. It never rejects because of a command.
   */
  readonly end: Promise<CommandEnd>;
  /** Settles when the last process of the tree is gone. Background processes without output get a short grace. */
  readonly gone: Promise<void>;
  readonly #command: LaunchedCommand;
  readonly #output: ReadableStreamBYOBReader;
  readonly #written: Promise<void>;
  readonly #reported: Promise<void>;
  /** Settles with the report that the command's first process has ended. */
  readonly #ended = Promise.withResolvers<void>();
  /** Settles with the report of its start: it has executed its program, or has reported that it cannot. */
  readonly #forked = Promise.withResolvers<void>();
  /** Settles with the command's end if it left no process; else when killed ones take too long, and `gone` comes first. */
  readonly #swept = Promise.withResolvers<void>();
  #left: LeftRunning | undefined;
  #accepted = false;
  #alone = false;
  #leader: number | undefined;
  #failure: StepFailure | undefined;
  #firstEnd: ProcessEnd | undefined;
  #status: LauncherStatus | undefined;
  #terminating = false;
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();

  constructor(command: LaunchedCommand, { signal, onOutput }: Pick<CommandHooks, "signal" | "onOutput">) {
    this.#command = command;
    command.process.group?.begin();
    this.#output = command.process.output.getReader({ mode: "byob" });
    this.#written = drain(this.#output, onOutput);
    this.#reported = this.#readReports();
    this.gone = terminateOnAbort(signal, (killAfterMs) => this.#terminate(killAfterMs), this.#waitUntilGone());
    this.end = this.#waitForEnd();
  }

  /** Only of a command that was launched with it. @throws {TypeError} Of others. */
  get stdin(): WritableStream<Uint8Array> {
    return this.#command.process.stdin;
  }

  /** The ancestor of all processes of the command; undefined: not known yet, or gone. */
  get root(): number | undefined {
    if (this.#status !== undefined) return undefined;
    return this.#command.namespaces ? this.#leader : this.#command.process.pid;
  }

  /** Whether the prewarmed process accepted the command; valid once `end` has settled. */
  get accepted(): boolean {
    return this.#accepted;
  }

  /** Whether a step of the launcher failed before the command's program: nothing ran, and not by the command's fault. */
  get refused(): boolean {
    return this.#failure !== undefined && isLaunchFault(this.#failure, this.#command.steps);
  }

  /** True if nothing of the tree is known to be left; false means unknown. */
  get isOver(): boolean {
    return this.#alone || this.#status !== undefined;
  }

  /** Settles when the command runs, with true, or when it is known that it never will, with false. */
  async begun(): Promise<boolean> {
    await Promise.race([this.#forked.promise, this.gone]);
    return this.#failure === undefined && (this.#firstEnd !== undefined || this.#status === undefined);
  }

  async #waitForEnd(): Promise<CommandEnd> {
    await Promise.race([Promise.all([this.#ended.promise, this.#swept.promise, this.#written]), this.gone]);
    if (this.#terminating || this.#firstEnd === undefined) await this.gone;
    return this.#describe();
  }

  async #waitUntilGone(): Promise<void> {
    this.#status = await this.#command.process.status;
    for (const timer of this.#timers) clearTimeout(timer);
    await outputEnd(this.#written, [this.#output]);
    await this.#reported;
  }

  /** Sends SIGTERM to the command's process group, and SIGKILL to the rest after this many milliseconds. */
  #terminate(killAfterMs: number): void {
    if (this.#terminating || this.#status !== undefined) return;
    this.#terminating = true;
    if (this.#leader !== undefined) signalQuietly(-this.#leader, "SIGTERM"); // else when its start is reported
    this.#after(killAfterMs, () => this.#kill());
  }

  /** Ends and remembers the processes that a command left running when it ended by itself. */
  #sweep(): void {
    const { process, namespaces, leftRunning } = this.#command;
    const parent = namespaces ? this.#leader : process.pid;
    if (!this.#terminating && !this.#alone && parent !== undefined) this.#left = leftRunning(parent);
    this.#kill();
    this.#after(KILLED_GRACE_MS, () => this.#swept.resolve());
  }

  /** Ends the remaining processes; without namespaces repeatedly, until the launcher has no children. */
  #kill(retryMs = KILL_RETRY_DELAY_MS): void {
    if (this.#status !== undefined) return;
    const { process, namespaces, killDescendants } = this.#command;
    if (this.#leader === undefined) return signalQuietly(process.pid, "SIGKILL");
    if (namespaces) return signalQuietly(this.#leader, "SIGKILL"); // the first process of its namespace: all go with it
    killDescendants(process.pid);
    this.#after(retryMs, () => this.#kill(Math.min(retryMs * 2, LONGEST_KILL_RETRY_DELAY_MS)));
  }

  async #readReports(): Promise<void> {
    const reader = new ReportReader();
    await drain(this.#command.process.reports.getReader({ mode: "byob" }), (chunk) => {
      for (const report of reader.read(chunk)) this.#note(report);
    });
  }

  #note(report: LauncherReport): void {
    switch (report.kind) {
      case "forked":
        if (report.by === "parent of the command") this.#forked.resolve();
        // With namespaces the other one's pid means nothing outside. A command that was told to end before it existed
        // missed the first signal, so it is sent again.
        if (report.by === (this.#command.namespaces ? "entrance" : "parent of the command")) {
          this.#leader = report.pid;
        }
        if (this.#terminating && this.#leader !== undefined) signalQuietly(-this.#leader, "SIGTERM");
        return;
      case "ended":
        this.#firstEnd = report.end;
        this.#alone = report.alone;
        this.#ended.resolve();
        if (report.alone) this.#swept.resolve();
        this.#after(this.#terminating ? 0 : BACKGROUND_GRACE_MS, () => this.#sweep());
        return;
      case "taken":
        this.#accepted = true;
        return;
      case "failed":
        this.#failure ??= report;
    }
  }

  #after(milliseconds: number, action: () => void): void {
    if (this.#status !== undefined) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action();
    }, milliseconds);
    this.#timers.add(timer);
  }

  #describe(): CommandEnd {
    const { steps, program, process } = this.#command;
    if (this.#failure !== undefined) return endOfFailure(this.#failure, steps, program);
    const usage = process.group && { usage: process.group.usage({ succeeded: isSuccess(this.#firstEnd) }) };
    if (this.#firstEnd === undefined) return { ...endOfLauncher(this.#status, program), ...usage };
    return { ...this.#firstEnd, ...this.#left !== undefined && { left: this.#left }, ...usage };
  }
}
