/** The one way to start a command. It settles when its whole process tree is gone and all output was delivered. */
import type { CommandEnd, LeftRunning } from "../base/command/command_end.ts";
import type { NetworkUse } from "../base/command/network_use.ts";
import type { Person } from "../base/command/person.ts";
import type { UnlistedHosts } from "../base/command/unlisted_hosts.ts";
import type { NetworkReach } from "../base/network/network_bound.ts";
import type { RunningCommand } from "../base/command/running_command.ts";
import type { ProtectedChange } from "../base/command/protected_change.ts";
import type { SandboxPolicy } from "../sandbox/policy/policy.ts";
import type { SelfTestReport } from "../sandbox/selftest/judge.ts";

/** The places that replace the trees of a previewed command (S40). */
export interface PreviewView {
  /** Canonical paths of trees, with directories that no other command reaches, on one file system for each tree. */
  readonly trees: readonly { readonly path: string; readonly upper: string; readonly work: string }[];
  /** Trees that it changes itself: the session's temp directory and cache. */
  readonly own: readonly string[];
  /** Bytes of one file at most. */
  readonly mostBytes: number;
}

/** What to run. */
export interface CommandRequest {
  /** A program with its arguments (looked up on the command's PATH), or a line for the shell. */
  readonly run: { readonly argv: readonly string[] } | { readonly shell: string };
  /** Canonical absolute path inside the scope. */
  readonly directory: string;
  /** Added to the built environment; wins over it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Undefined: empty. */
  readonly stdin: string | undefined;
  /** Its input stays open after `stdin`, for the hook `onRunning`, as a pipe or a terminal; absent: it ends there. */
  readonly input?: "pipe" | "terminal" | undefined;
  /** It runs without network and Unix sockets; absent: with those of the session's commands. */
  readonly offline?: true;
  /** The most that it may connect to (S43); absent: what the session's commands may. */
  readonly network?: NetworkReach | undefined;
  /** It runs on a copy-on-write view of its trees, which it does not change (S40); absent: on the trees. */
  readonly preview?: true;
  /** The view, once it exists; the command then ends with its last process. */
  readonly view?: PreviewView;
  /** The shell that runs it, which must be a line; absent: it starts its own shell or program. */
  readonly within?: OpenShell;
  /** It is idempotent; absent: that is not known. */
  readonly isRepeatable?: true;
  /** The operation that runs it; absent: no tool does, but a check of a program or a third-party server. */
  readonly operation?: { readonly id: string; readonly tool: string };
}

/** Takes a chunk of output; its return value is ignored unless it is a promise. */
export type TakeOutput = (chunk: Uint8Array) => unknown;

/** What the caller brings. */
export interface CommandHooks {
  /** Aborted: the whole tree gets SIGTERM, after the grace SIGKILL (X9, X10). */
  readonly signal: AbortSignal;
  /** Gets protected paths that changed while the command ran (S8), before its end is reported; not if none did. */
  readonly onProtectedChange?: ((changes: readonly ProtectedChange[]) => void) | undefined;
  /** stdout and stderr (X7), in memory that is reused once the callee returns. A promise pauses the reading. */
  readonly onOutput: TakeOutput;
  /** Gets the outcome of each name and connection that the command asks for, in a network by name (S30). */
  readonly onNetwork?: ((use: NetworkUse) => void) | undefined;
  /** What its person may allow beyond its list of hosts (S35); absent: nothing. */
  readonly unlisted?: UnlistedHosts | undefined;
  /** The person to ask about what it is denied; absent: its call has no client. */
  readonly person?: Person | undefined;
  /** Gets the server's own lines among the output, without newlines; absent: they are left out. */
  readonly say?: ((line: string) => void) | undefined;
  /** Gets the command once it is being started, and again for each further attempt; on macOS only with `input`. */
  readonly onRunning?: ((command: RunningCommand) => void) | undefined;
}

export interface CommandRunner {
  /** Never rejects because of a command. */
  run(request: CommandRequest, hooks: CommandHooks): Promise<CommandEnd>;
}

/** A line, and where it runs. */
export interface ShellLine {
  readonly line: string;
  /** The directory that the shell changes to first; undefined: it stays where it is. */
  readonly directory: string | undefined;
  /** Exported before it, and kept. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A shell that keeps its state between lines, in its own sandbox (B5). It runs one line at a time. */
export interface OpenShell {
  /** Its last reported directory. */
  readonly directory: string;
  /** How it ended; undefined: it has not. */
  readonly end: CommandEnd | undefined;
  /** Settles when it has ended and nothing of it remains. */
  readonly ended: Promise<CommandEnd>;
  /** What runs in it between lines, by name, and during a line what earlier ones left; undefined: nothing. */
  background(): LeftRunning | undefined;
  /** Whether a sandbox made now would be the same; false: no further line should run in it. */
  isCurrent(): Promise<boolean>;
  /** Runs a line after the last one has ended. An abort interrupts the line, or else ends the shell. */
  run(line: ShellLine, hooks: CommandHooks): Promise<CommandEnd>;
  /** Ends it with all its processes. `killAfterMs`: from SIGTERM to SIGKILL; absent: as usual. */
  close(killAfterMs?: number): Promise<CommandEnd>;
}

/** An interactive command: its stdin stays open. */
export interface OpenRequest extends Omit<CommandRequest, "stdin"> {
  /** An existing file, which the command's stderr is appended to; absent: it is part of the output. */
  readonly stderrFile?: string;
}

/** The processes of a command that was opened. */
export interface OpenProcesses extends RunningCommand {
  /** All current processes but the first. `earlier`: these and their descendants are left out; absent: none is. */
  all(earlier?: ReadonlySet<number>): readonly number[];
  /** Kills the processes of `all`, and those that they start in the meantime. */
  kill(earlier: ReadonlySet<number>): void;
  /** What the first one runs at the same time, by name; undefined: nothing. `earlier`: only these; absent: all. */
  background(earlier?: ReadonlySet<number>): LeftRunning | undefined;
  signalFirst(signal: Deno.Signal): void;
}

/** A command that was opened; its output goes to the hooks it was opened with. */
export interface OpenCommand {
  /** Closing it asks most such commands to end. */
  readonly stdin: WritableStream<Uint8Array>;
  /** How it ended; never rejects. */
  readonly end: Promise<CommandEnd>;
  /** Absent: this system does not tell them apart. */
  readonly processes?: OpenProcesses;
  /** Checks protected paths while it runs; absent: nothing is protected. */
  readonly guard?: OpenGuard | undefined;
}

/** The checks of protected paths around each piece of work of a command that stays open. */
export interface OpenGuard {
  /** It does nothing until `begins`: what appears meanwhile is of other programs. */
  rests(): void;
  /** Ends its rest. */
  begins(): Promise<void>;
  /** Tells what changed since the last time; `rests`: whether it then rests. */
  ends(onChange: CommandHooks["onProtectedChange"], rests: () => boolean): Promise<void>;
}

/** The runner of a session on any system; dispose it when the session ends. */
export interface SessionRunner extends CommandRunner, AsyncDisposable {
  /** Landlock's policy in force; undefined: `--no-sandbox`, or another mechanism confines commands. */
  readonly policy: Promise<SandboxPolicy | undefined>;
  /** What the self-test found; undefined: there was none. @throws {Error} When it could not run just now. */
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
