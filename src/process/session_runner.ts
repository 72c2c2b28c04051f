import type { CommandEnd } from "../base/command/command_end.ts";
import type { SandboxPolicy } from "../sandbox/policy/policy.ts";
import type { CommandHooks, CommandRequest, CommandRunner, OpenShell } from "./command_runner.ts";
import type { LeftRunning } from "../base/command/command_end.ts";
import type { SelfTestReport } from "../sandbox/selftest/judge.ts";

/** An interactive command: its stdin stays open. */
export interface OpenRequest extends Omit<CommandRequest, "stdin"> {
  /** An existing file, which the command's stderr is appended to; absent: it is part of the output. */
  readonly stderrFile?: string;
}

/** The processes of a command that was opened. */
export interface OpenProcesses {
  /** All but the first, at this moment. `earlier`: these and what is below them are left out; absent: none is. */
  all(earlier?: ReadonlySet<number>): readonly number[];
  /** Kills the processes of `all`, and those that they start in the meantime. */
  kill(earlier: ReadonlySet<number>): void;
  /** What the first one runs at the same time, by name; undefined: nothing. */
  background(): LeftRunning | undefined;
  signalFirst(signal: Deno.Signal): void;
}

/** A command that was opened; its output goes to the hooks it was opened with. */
export interface OpenCommand {
  /** Closing it is how most such commands are asked to end. */
  readonly stdin: WritableStream<Uint8Array>;
  /** How it ended; never rejects. */
  readonly end: Promise<CommandEnd>;
  /** Absent: this system does not tell them apart. */
  readonly processes?: OpenProcesses;
}

/** The runner of a session on any system; dispose it when the session ends. */
export interface SessionRunner extends CommandRunner, AsyncDisposable {
  /** Landlock's policy in force; undefined: `--no-sandbox`, or something else confines. */
  readonly policy: Promise<SandboxPolicy | undefined>;
  /** What the self-test found; undefined: there was none. @throws {Error} When it could not be made just now. */
  readonly selfTest: Promise<SelfTestReport | undefined>;
  /** Prepares ahead of need what makes commands start quickly. */
  warmUp(): Promise<void>;
  /** Starts an interactive command. @throws {Error} When the system cannot start a process. */
  open(request: OpenRequest, hooks: CommandHooks): Promise<OpenCommand>;
  /** Starts a shell that keeps its state between lines. @throws {Error} When it cannot be started. */
  openShell(directory: string): Promise<OpenShell>;
  /** Settles when no process of a command whose result is known, or of the self-test, is left. */
  settled(): Promise<void>;
}
