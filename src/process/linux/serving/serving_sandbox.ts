/** A sandbox that serves one command after another, as long as nothing of the last one remains. */
import type { LeftRunning } from "../../../base/command/command_end.ts";
import { ignoreClosedPipe } from "../../../base/errors.ts";
import type { CommandHooks } from "../../command_runner.ts";
import type { LauncherProcess, LauncherStatus } from "../../spawn.ts";
import { drain } from "../../supervision.ts";
import { signalQuietly } from "../../tree/descendants.ts";
import type { LauncherReport } from "../launch/launcher_reports.ts";
import { FrameReader } from "./frame_reader.ts";
import { ServedCommand, type ServedNames } from "./served_command.ts";

/** `shell`: it keeps a shell that waits for a line. `launcher`: it takes blocks. */
export type ServingKind = "shell" | "launcher";

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

/** What a command gets for its run. */
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
  /** Settles when its last process is gone, with whether it was free by then. */
  readonly gone: Promise<{ readonly wasFree: boolean }>;
  readonly #options: ServingSandboxOptions;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #frames = new FrameReader();
  #command: ServedCommand | undefined;
  #onOutput: CommandHooks["onOutput"] = ofNone;
  #leader: number | undefined;
  #status: LauncherStatus | undefined;
  #isSpent = false;

  constructor(options: ServingSandboxOptions) {
    this.#options = options;
    this.kind = options.kind;
    this.steps = options.steps;
    this.#writer = options.process.stdin.getWriter();
    this.gone = this.#follow();
  }

  /** Whether it takes no further command. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  /** Runs a command; the sandbox must be free. */
  run(input: ServedInput, hooks: CommandHooks): ServedCommand {
    const command = new ServedCommand(input, {
      terminate: () => this.#terminate(),
      kill: () => this.#kill(),
      leftRunning: () => this.#leader === undefined ? undefined : this.#options.leftRunning(this.#leader),
    }, hooks);
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
      case "failed":
        // The child shares the memory of the launcher until it executes its program, and has written its failure there.
        if (report.step < this.steps.length) this.retire();
        return command?.note(report);
      case "ended":
        // An end without a command is that of a shell that waited.
        if (command === undefined) return this.retire();
        if (report.clean) {
          // Nothing that it belonged to is held any longer.
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
    if (this.#leader !== undefined && this.#status === undefined) signalQuietly(this.#leader, "SIGTERM");
  }

  #kill(): void {
    this.#isSpent = true;
    if (this.#status !== undefined) return;
    signalQuietly(this.#leader ?? this.#options.process.pid, "SIGKILL");
  }
}

/** Between commands there is no output. */
function ofNone(): void {}
