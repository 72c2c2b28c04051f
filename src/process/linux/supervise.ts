/**
 * Follows one launched command from its first byte to the end of its last process.
 *
 * The launcher's own process is the last to go: with namespaces it ends when the command's namespace is empty,
 * without when it has no children left. So its exit means that nothing is left. A result does not wait for that:
 * the report that the command's first process has ended and the end of the output are enough. Where that process left
 * others running, they have a short grace, and the result waits for their end to name them.
 */
import { delay } from "../../base/time.ts";
import type { CommandEnd, LeftRunning } from "../../base/command/command_end.ts";
import { killDelay } from "../../base/command/kill_delay.ts";
import type { CommandHooks, TakeOutput } from "../command_runner.ts";
import { describeFailure, isLaunchFault, type LauncherReport, ReportReader } from "./launch/launcher_reports.ts";
import type { LauncherProcess, LauncherStatus } from "../spawn.ts";

/** SIGTERM comes first; what is left after this many milliseconds gets SIGKILL (X9), unless the abort hurries (X14). */
const TERMINATE_GRACE_MS = 2_000;
/** What the command left running in the background may finish in this time after it (X10). */
const BACKGROUND_GRACE_MS = 250;
/** The output ends with the last process; a descriptor that was passed elsewhere does not hold the result back longer. */
const OUTPUT_GRACE_MS = 1_000;

/** Most commands say little; one that fills the small buffer gets one of the size of a pipe. */
const SMALL_READ = 4_096;
const LARGE_READ = 65_536;
/** A flood is always ready to be read, so others would wait; after so many bytes they go first (N4). */
const FAIR_SHARE = 512 * 1024;

/** Between two hunts for descendants, milliseconds; doubled each time. */
const FIRST_HUNT_PAUSE_MS = 5;
const LONGEST_HUNT_PAUSE_MS = 100;

export interface Supervision {
  readonly process: LauncherProcess;
  /** Names of the table's steps. */
  readonly steps: readonly string[];
  /** The program's name for messages. */
  readonly program: string;
  /** Whether the command has a PID namespace of its own. */
  readonly namespaces: boolean;
  /** The living children of a process, by name; undefined: none. */
  readonly leftRunning: (parent: number) => LeftRunning | undefined;
  /** Ends what it finds below a process; a fast tree takes more than one hunt. */
  readonly huntDescendants: (root: number) => void;
}

/** A command on its way. */
export interface Supervised {
  /**
   * How it ended: settles when its first process has ended and its output too, and what it left running is ended;
   * after an abort not before the whole tree is gone. Never rejects for what a command can do.
   */
  readonly end: Promise<CommandEnd>;
  /** Whether what waited has taken its command; asked when `end` has settled. */
  readonly taken: () => boolean;
  /** Whether the launcher reported a step before the command's program that failed: nothing ran, and that was not its fault. */
  readonly refused: () => boolean;
  /** Settles when the command runs, with true, or when it is known that it never will, with false. */
  readonly begun: Promise<boolean>;
  /** Whether nothing of the tree is left, as far as is known by now; false says nothing. */
  readonly isOver: () => boolean;
  /** The whole tree is gone. What runs on in the background without output has a short grace. */
  readonly gone: Promise<void>;
}

/** Follows a command that was just launched. */
export function supervise(supervision: Supervision, hooks: CommandHooks): Supervised {
  const run = new SupervisedRun(supervision, hooks.onOutput);
  const abort = () => run.terminate(killDelay(hooks.signal, TERMINATE_GRACE_MS));
  hooks.signal.addEventListener("abort", abort, { once: true });
  if (hooks.signal.aborted) abort();
  const gone = run.gone.finally(() => hooks.signal.removeEventListener("abort", abort));
  return {
    end: run.end(),
    taken: () => run.taken,
    refused: () => run.refused,
    begun: run.begun(),
    isOver: () => run.isOver,
    gone,
  };
}

class SupervisedRun {
  /** The launcher's process has ended, and with it the last of the tree. */
  readonly gone: Promise<void>;
  readonly #supervision: Supervision;
  readonly #output: ReadableStreamBYOBReader;
  readonly #written: Promise<void>;
  readonly #reported: Promise<void>;
  /** Settles with the report that the command's first process has ended. */
  readonly #ended = Promise.withResolvers<void>();
  /** Settles with the report of its start, which comes when it has executed its program, or has reported that it cannot. */
  readonly #forked = Promise.withResolvers<void>();
  /** Settles when what the command left running is ended, or with its end where it left nothing. */
  readonly #swept = Promise.withResolvers<void>();
  #left: LeftRunning | undefined;
  #taken = false;
  #alone = false;
  #leader: number | undefined;
  #failure: Extract<LauncherReport, { kind: "failed" }> | undefined;
  #waitStatus: number | undefined;
  #status: LauncherStatus | undefined;
  #terminating = false;
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();

  constructor(supervision: Supervision, onOutput: TakeOutput) {
    this.#supervision = supervision;
    this.#output = supervision.process.output.getReader({ mode: "byob" });
    this.#written = drain(this.#output, onOutput);
    this.#reported = this.#readReports();
    this.gone = this.#waitUntilGone();
  }

  async end(): Promise<CommandEnd> {
    await Promise.race([Promise.all([this.#ended.promise, this.#swept.promise, this.#written]), this.gone]);
    if (this.#terminating || this.#waitStatus === undefined) await this.gone;
    return this.#describe();
  }

  async begun(): Promise<boolean> {
    await Promise.race([this.#forked.promise, this.gone]);
    return this.#failure === undefined && (this.#waitStatus !== undefined || this.#status === undefined);
  }

  async #waitUntilGone(): Promise<void> {
    this.#status = await this.#supervision.process.status;
    for (const timer of this.#timers) clearTimeout(timer);
    const late = setTimeout(() => void this.#output.cancel(), OUTPUT_GRACE_MS);
    await this.#written;
    clearTimeout(late);
    await this.#reported;
  }

  /** What waited has its command. */
  get taken(): boolean {
    return this.#taken;
  }

  /** A step before the program failed. */
  get refused(): boolean {
    return this.#failure !== undefined && isLaunchFault(this.#failure, this.#supervision.steps);
  }

  /** The command left nothing running when it ended, or the last of it has gone since. */
  get isOver(): boolean {
    return this.#alone || this.#status !== undefined;
  }

  /** SIGTERM to the command's process group, SIGKILL to what is left after so many milliseconds. */
  terminate(killAfterMs: number): void {
    if (this.#terminating || this.#status !== undefined) return;
    this.#terminating = true;
    if (this.#leader !== undefined) signalQuietly(-this.#leader, "SIGTERM"); // else when its start is reported
    this.#after(killAfterMs, () => this.#kill());
  }

  /** Ends what a command that ended by itself left running, and remembers what that was. */
  #sweep(): void {
    const { process, namespaces, leftRunning } = this.#supervision;
    const parent = namespaces ? this.#leader : process.pid;
    if (!this.#terminating && !this.#alone && parent !== undefined) this.#left = leftRunning(parent);
    this.#kill();
    this.#swept.resolve();
  }

  /** Ends what is left; without namespaces again and again, until the launcher has no children any more. */
  #kill(pauseMs = FIRST_HUNT_PAUSE_MS): void {
    if (this.#status !== undefined) return;
    const { process, namespaces, huntDescendants } = this.#supervision;
    if (this.#leader === undefined) return signalQuietly(process.pid, "SIGKILL");
    if (namespaces) return signalQuietly(this.#leader, "SIGKILL"); // the first process of its namespace: all go with it
    huntDescendants(process.pid);
    this.#after(pauseMs, () => this.#kill(Math.min(pauseMs * 2, LONGEST_HUNT_PAUSE_MS)));
  }

  async #readReports(): Promise<void> {
    const reader = new ReportReader();
    await drain(this.#supervision.process.reports.getReader({ mode: "byob" }), (chunk) => {
      for (const report of reader.read(chunk)) this.#note(report);
    });
  }

  #note(report: LauncherReport): void {
    switch (report.kind) {
      case "forked":
        if (report.by === "parent of the command") this.#forked.resolve();
        // With namespaces the other one's pid says nothing outside; but what was told to end before the command was
        // there did not hear it, so it is told again.
        if (report.by === (this.#supervision.namespaces ? "entrance" : "parent of the command")) {
          this.#leader = report.pid;
        }
        if (this.#terminating && this.#leader !== undefined) signalQuietly(-this.#leader, "SIGTERM");
        return;
      case "ended":
        this.#waitStatus = report.status;
        this.#alone = report.alone;
        this.#ended.resolve();
        if (report.alone) this.#swept.resolve();
        this.#after(this.#terminating ? 0 : BACKGROUND_GRACE_MS, () => this.#sweep());
        return;
      case "taken":
        this.#taken = true;
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
    const { steps, program } = this.#supervision;
    if (this.#failure !== undefined) {
      return {
        kind: "not_started",
        message: describeFailure(this.#failure, steps, program),
        ...isLaunchFault(this.#failure, steps) && { fault: "server" },
      };
    }
    if (this.#waitStatus !== undefined) {
      return { ...endOf(this.#waitStatus), ...this.#left !== undefined && { left: this.#left } };
    }
    // The launcher itself was ended, by the kernel or by us; its exit code tells the signal of what it waited for.
    const code = this.#status?.code ?? 0;
    const signal = this.#status?.signal ?? (code > 128 ? signalName(code - 128) : undefined);
    return signal === undefined
      ? { kind: "not_started", message: `Cannot start "${program}": the launcher ended with ${code}`, fault: "server" }
      : { kind: "signalled", signal };
  }
}

/** How a process ended, from the status `wait4` gave for it. */
function endOf(status: number): Exclude<CommandEnd, { kind: "not_started" }> {
  const signal = status & 0x7f;
  return signal === 0
    ? { kind: "exited", code: (status >> 8) & 0xff }
    : { kind: "signalled", signal: signalName(signal) };
}

/** Reads into one buffer again and again: fresh ones for every read are what a flood would fill the heap with. */
export async function drain(reader: ReadableStreamBYOBReader, take: TakeOutput): Promise<void> {
  let buffer = new ArrayBuffer(SMALL_READ);
  let unbroken = 0;
  for (;;) {
    const { value, done } = await reader.read(new Uint8Array(buffer));
    const pressure = value !== undefined && value.length > 0 ? take(value) : undefined;
    if (pressure instanceof Promise) await pressure;
    if (done || value === undefined) return;
    unbroken += value.byteLength;
    if (unbroken >= FAIR_SHARE) {
      unbroken = 0;
      await delay(0);
    }
    const full = value.byteLength === value.buffer.byteLength;
    buffer = full && value.buffer.byteLength < LARGE_READ ? new ArrayBuffer(LARGE_READ) : value.buffer;
  }
}

function signalQuietly(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(pid, signal);
  } catch (error) {
    // Gone in the meantime, which is what was wanted.
    if (!(error instanceof Deno.errors.NotFound) && !(error instanceof TypeError)) throw error;
  }
}

const SIGNALS = [
  "SIGHUP",
  "SIGINT",
  "SIGQUIT",
  "SIGILL",
  "SIGTRAP",
  "SIGABRT",
  "SIGBUS",
  "SIGFPE",
  "SIGKILL",
  "SIGUSR1",
  "SIGSEGV",
  "SIGUSR2",
  "SIGPIPE",
  "SIGALRM",
  "SIGTERM",
  "SIGSTKFLT",
  "SIGCHLD",
  "SIGCONT",
  "SIGSTOP",
  "SIGTSTP",
  "SIGTTIN",
  "SIGTTOU",
  "SIGURG",
  "SIGXCPU",
  "SIGXFSZ",
  "SIGVTALRM",
  "SIGPROF",
  "SIGWINCH",
  "SIGIO",
  "SIGPWR",
  "SIGSYS",
] as const;

/** `SIGTERM` for 15 (asm-generic/signal.h; the same numbers on both processors). */
export function signalName(number: number): string {
  return SIGNALS[number - 1] ?? `signal ${number}`;
}
