import type { CommandEnd } from "../base/command/command_end.ts";
import type { SandboxPolicy } from "../sandbox/policy/policy.ts";
import type { CommandHooks, CommandRequest, CommandRunner } from "./command_runner.ts";
import type { SelfTestReport } from "../sandbox/selftest/judge.ts";

/** An interactive command: its stdin stays open. */
export interface OpenRequest extends Omit<CommandRequest, "stdin"> {
  /** An existing file, which the command's stderr is appended to. */
  readonly stderrFile: string;
}

/** A command that was opened; its output goes to the hooks it was opened with. */
export interface OpenCommand {
  /** Closing it is how most such commands are asked to end. */
  readonly stdin: WritableStream<Uint8Array>;
  /** How it ended; never rejects. */
  readonly end: Promise<CommandEnd>;
}

/** The runner of a session, whatever confines its commands; dispose it when the session ends. */
export interface SessionRunner extends CommandRunner, AsyncDisposable {
  /** Landlock's policy in force; undefined: `--no-sandbox`, or something else confines. */
  readonly policy: Promise<SandboxPolicy | undefined>;
  /** What the self-test found; undefined: there was none. @throws {Error} When it could not be made just now. */
  readonly selfTest: Promise<SelfTestReport | undefined>;
  /** Prepares ahead of need what makes commands start quickly. */
  warmUp(): Promise<void>;
  /** Starts an interactive command. @throws {Error} When the system cannot start a process. */
  open(request: OpenRequest, hooks: CommandHooks): Promise<OpenCommand>;
  /** Settles when no process of a command whose result is known is left. */
  settled(): Promise<void>;
}
