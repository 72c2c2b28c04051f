/** A sandbox that serves one command after another, as long as nothing of the last one remains. */
import type { CommandEnd, LeftRunning } from "../../../base/command/command_end.ts";
import type { TreeUsage } from "../../../base/command/tree_usage.ts";
import { ignoreClosedPipe } from "../../../base/errors.ts";
import type { CommandHooks } from "../../command_runner.ts";
import type { LauncherProcess, LauncherStatus } from "../../spawn.ts";
import { BACKGROUND_GRACE_MS, drain, KILLED_GRACE_MS, OUTPUT_GRACE_MS, terminateOnAbort } from "../../supervision.ts";
import { signalQuietly } from "../../tree/descendants.ts";
import {
  decodeReport,
  endOfFailure,
  endOfLauncher,
  isLaunchFault,
  isSuccess,
  type LauncherReport,
  type ProcessEnd,
  type StepFailure,
} from "../launch/launcher_reports.ts";
import { ENTRY_BYTES, FRAME_HEADER_BYTES, OUTPUT_FRAME } from "../../../sandbox/launcher/image/interpreter.ts";
import { LITTLE_ENDIAN } from "../../../system/c_library.ts";

/** `forking`: its shell copies itself for each line. `shell`: it keeps a shell that waits for a line. `launcher`: it takes blocks. */
export type ServingKind = "forking" | "shell" | "launcher";

/** What a sandbox is made from. */
export interface ServingSandboxOptions {
  readonly process: LauncherProcess;
  /** Names of its table's steps. */
  readonly steps: readonly string[];
  readonly kind: ServingKind;
  /** The living children of a process, by name; undefined: none. */
  readonly leftRunning: (parent: number) => LeftRunning | undefined;
  /** Called when the sandbox is ready for another command. */
  readonly onFree: (sandbox: ServingSandbox) => void;
}

/** The input of a command's run. */
export interface ServedInput extends ServedNames {
  /** A block, or the line for the shell. */
  readonly bytes: Uint8Array;
}

export class ServingSandbox {
  readonly kind: ServingKind;
  /** By `performance.now()`. */
  readonly madeAt = performance.now();
  /** Names of the launcher's steps. */
  readonly steps: readonly string[];
  /** Settles when its last process is gone; tells whether it was free then. */
  readonly gone: Promise<{ readonly wasFree: boolean }>;
  readonly #options: ServingSandboxOptions;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #frames = new FrameReader();
  #command: ServedCommand | undefined;
  #onOutput: CommandHooks["onOutput"] = ofNone;
  #leader: number | undefined;
  #status: LauncherStatus | undefined;
  #isSpent = false;
  /** A shell that forks tells when it hears signals. */
  #isReady: boolean;
  #isKilled = false;
  #isUnfit = false;

  constructor(options: ServingSandboxOptions) {
    this.#options = options;
    this.kind = options.kind;
    this.#isReady = options.kind !== "forking";
    this.steps = options.steps;
    this.#writer = options.process.stdin.getWriter();
    this.gone = this.#follow();
  }

  /** Whether it takes no further command. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  /** Whether it ended, or a step failed, before it waited for commands. */
  get isUnfit(): boolean {
    return this.#isUnfit;
  }

  /** Runs a command; the sandbox must be free. */
  run(input: ServedInput, hooks: CommandHooks): ServedCommand {
    const command = new ServedCommand(input, {
      terminate: () => this.#terminate(),
      kill: () => this.#kill(),
      root: () => this.#status === undefined ? this.#leader : undefined,
      leftRunning: () => this.#leader === undefined ? undefined : this.#options.leftRunning(this.#leader),
      usage: (succeeded) => this.#options.process.group?.usage({ succeeded }),
    }, hooks);
    this.#options.process.group?.begin();
    this.#command = command;
    this.#onOutput = hooks.onOutput;
    if (this.#status !== undefined) this.#giveUp(command, this.#status);
    else void this.#write(input.bytes, command);
    return command;
  }

  /** Ends it after its command, or at once if it has none. */
  retire(): void {
    if (this.#isSpent) return;
    this.#isSpent = true;
    // Closing its stdin ends a launcher and a shell that wait.
    void this.#writer.close().catch(ignoreClosedPipe);
  }

  async #write(bytes: Uint8Array, command: ServedCommand): Promise<void> {
    try {
      await this.#writer.write(bytes);
    } catch (error) {
      ignoreClosedPipe(error);
      command.accepted = false;
      this.#isSpent = true;
    }
  }

  #giveUp(command: ServedCommand, status: LauncherStatus): void {
    command.accepted = false;
    command.sandboxGone(status);
  }

  async #follow(): Promise<{ wasFree: boolean }> {
    const { process } = this.#options;
    await drain(process.output.getReader({ mode: "byob" }), (chunk) => this.#take(chunk));
    this.#isSpent = true;
    this.#command?.outputEnded();
    this.#status = await process.status;
    const wasFree = this.#command === undefined;
    this.#command?.sandboxGone(this.#status);
    await this.#writer.abort().catch(ignoreClosedPipe);
    this.#isUnfit ||= !this.#isReady && !this.#isKilled;
    return { wasFree };
  }

  #take(chunk: Uint8Array): Promise<void> | undefined {
    const { output, reports } = this.#frames.read(chunk);
    const pressure = output.length === 0 ? undefined : this.#onOutput(output);
    if (pressure instanceof Promise) return pressure.then(() => this.#noteAll(reports));
    this.#noteAll(reports);
    return undefined;
  }

  #noteAll(reports: readonly LauncherReport[]): void {
    for (const report of reports) this.#note(report);
  }

  #note(report: LauncherReport): void {
    const command = this.#command;
    switch (report.kind) {
      case "forked":
        this.#leader = report.pid;
        if (command?.isTerminated === true) this.#terminate();
        return;
      case "ready":
        this.#isReady = true;
        if (command?.isTerminated === true) this.#terminate();
        return;
      case "failed":
        // The child shares the memory of the launcher until it executes its program, and has written its failure there.
        if (report.step < this.steps.length) this.retire();
        this.#isUnfit ||= !this.#isReady;
        return command?.note(report);
      case "ended":
        // An end without a command is that of a shell that waited.
        if (command === undefined) return this.retire();
        if (report.clean) {
          // Nothing of its command is held any longer.
          this.#command = undefined;
          this.#onOutput = ofNone;
        }
        if (!report.clean || command.isTerminated) this.retire();
        command.note(report);
        if (!this.#isSpent) this.#options.onFree(this);
    }
  }

  /** The launcher passes it on. */
  #terminate(): void {
    if (this.#leader !== undefined && this.#isReady && this.#status === undefined) {
      signalQuietly(this.#leader, "SIGTERM");
    }
  }

  #kill(): void {
    this.#isSpent = this.#isKilled = true;
    if (this.#status !== undefined) return;
    signalQuietly(this.#leader ?? this.#options.process.pid, "SIGKILL");
  }
}

/** Between commands there is no output. */
function ofNone(): void {}

/** The contents of a chunk. */
export interface Taken {
  /** A view of the chunk's memory; empty: none. */
  readonly output: Uint8Array;
  /** The output before the end of a command belongs to it. */
  readonly reports: readonly LauncherReport[];
}

/** Takes the stdout of a serving launcher apart: output of commands, and reports (sandbox/launcher/image/interpreter.ts). */
export class FrameReader {
  /** An incomplete head or report. */
  readonly #begun = new DataView(new ArrayBuffer(ENTRY_BYTES));
  #filled = 0;
  /** Bytes of output that the frame still has. */
  #left = 0;

  /** Takes a chunk apart; its memory is written to. */
  read(chunk: Uint8Array): Taken {
    const reports: LauncherReport[] = [];
    let from = 0;
    let to = 0;
    for (let at = 0; at < chunk.length;) {
      if (this.#left === 0) {
        at += this.#fill(chunk.subarray(at), reports);
        continue;
      }
      const size = Math.min(this.#left, chunk.length - at);
      if (from === to) from = to = at;
      else chunk.copyWithin(to, at, at + size);
      to += size;
      at += size;
      this.#left -= size;
    }
    return { output: chunk.subarray(from, to), reports };
  }

  /** Takes the bytes of a head or a report, and returns their number. */
  #fill(bytes: Uint8Array, reports: LauncherReport[]): number {
    const begun = new Uint8Array(this.#begun.buffer);
    const wanted = this.#filled < 8 ? 8 : this.#isFrame() ? FRAME_HEADER_BYTES : ENTRY_BYTES;
    const taken = bytes.subarray(0, wanted - this.#filled);
    begun.set(taken, this.#filled);
    this.#filled += taken.length;
    if (this.#filled < wanted || wanted === 8) return taken.length;
    if (this.#isFrame()) this.#left = this.#begun.getUint32(8, LITTLE_ENDIAN);
    else reports.push(decodeReport(this.#begun));
    this.#filled = 0;
    return taken.length;
  }

  #isFrame(): boolean {
    return this.#begun.getBigUint64(0, LITTLE_ENDIAN) === OUTPUT_FRAME;
  }
}

/** What a sandbox does for its command. */
export interface SandboxOfCommand {
  /** Sends SIGTERM to the command's process group, as soon as there is one. */
  terminate(): void;
  /** Ends the sandbox. */
  kill(): void;
  /** The ancestor of all its processes; undefined: not known yet, or gone. */
  root(): number | undefined;
  /** The living processes that a command left, by name; undefined: none. */
  leftRunning(): LeftRunning | undefined;
  /** What its tree has used; undefined: nothing counts it. */
  usage(succeeded: boolean): TreeUsage | undefined;
}

/** The name of a command in messages. */
export interface ServedNames {
  /** Names of the steps, the launcher's first. */
  readonly steps: readonly string[];
  readonly program: string;
}

/** A command in a serving sandbox, which goes on without it, or ends with everything that it left. */
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

  /** Whether the launcher refused before the program: nothing ran, and not by the command's fault. */
  get refused(): boolean {
    return this.#failure !== undefined && isLaunchFault(this.#failure, this.#names.steps);
  }

  /** As `CommandTree.root`. */
  get root(): number | undefined {
    return this.#isOver ? undefined : this.#sandbox.root();
  }

  /** Whether nothing of the command is known to be left. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether it was asked to end: its sandbox is then of no further use. */
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

  /** The launcher will write nothing more; its sandbox is gone in a moment, unless a process cannot be ended. */
  outputEnded(): void {
    if (this.#firstEnd === undefined || this.#terminating) return;
    this.#after(KILLED_GRACE_MS, () => this.#ended.resolve(this.#describe()));
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
    const used = this.#sandbox.usage(isSuccess(this.#firstEnd));
    const usage = used && { usage: used };
    if (this.#firstEnd === undefined) return { ...endOfLauncher(status, names.program), ...usage };
    return { ...this.#firstEnd, ...this.#left !== undefined && { left: this.#left }, ...usage };
  }
}
