/** Runs lines in one interactive shell, however it was started (B5). */
import type { CommandEnd, LeftRunning } from "../../base/command/command_end.ts";
import type { RunningCommand } from "../../base/command/running_command.ts";
import { HurriedEnd } from "../../base/command/kill_delay.ts";
import { ignoreClosedPipe } from "../../base/errors.ts";
import { encodeText } from "../../base/text.ts";
import { delay, withTimeout } from "../../base/time.ts";
import type {
  CommandHooks,
  CommandRequest,
  OpenCommand,
  OpenGuard,
  OpenProcesses,
  OpenShell,
  ShellLine,
} from "../command_runner.ts";
import { KILLED_GRACE_MS } from "../supervision.ts";
import { signalQuietly } from "../tree/descendants.ts";
import { ShellOutput } from "./shell_output.ts";
import { ABANDON_SIGNAL, CLOSING, lineText, markText, NOTE_ENDS, OPENING } from "./shell_text.ts";

/** A line can make the shell itself work on after its mark, without any process, for example by a function `builtin`. */
function never(): boolean {
  return false;
}

/** The checks around each line of a sandboxed shell. */
export interface ShellGuard extends Pick<OpenGuard, "ends"> {
  /** Whether its sandbox is the one it would get now. `watched`: something ran since the last line. */
  isCurrent(watched: boolean): Promise<boolean>;
}

/** A shell that was started with `OPEN_SHELL_ARGUMENTS`; absent `guard`: there is no sandbox that could change. */
export interface StartedShell {
  readonly command: OpenCommand;
  readonly guard?: ShellGuard | undefined;
}

/** How long a line has to end after each signal of an interruption, milliseconds. */
const INTERRUPT_GRACE_MS = 2_000;
const INTERRUPT_SIGNALS = ["SIGINT", "SIGTERM", "SIGKILL"] as const;
const START_LIMIT_MS = 10_000;
/** Between two looks at killed processes, milliseconds. */
const KILLED_LOOK_MS = 5;

export class LineShell implements OpenShell {
  readonly ended: Promise<CommandEnd>;
  readonly #started: StartedShell;
  readonly #output: ShellOutput;
  readonly #secret: string;
  readonly #abort: AbortController;
  readonly #stdin: WritableStreamDefaultWriter<Uint8Array>;
  #directory: string;
  #end: CommandEnd | undefined;
  #lines = 0;
  /** What ran before the running line; undefined: none runs. */
  #earlier: ReadonlySet<number> | undefined;

  private constructor(
    started: StartedShell,
    { output, secret, abort, directory }: {
      readonly output: ShellOutput;
      readonly secret: string;
      readonly abort: AbortController;
      readonly directory: string;
    },
  ) {
    this.#started = started;
    this.#output = output;
    this.#secret = secret;
    this.#abort = abort;
    this.#directory = directory;
    this.#stdin = started.command.stdin.getWriter();
    this.ended = started.command.end.then((end) => {
      this.#output.close();
      return this.#end = end;
    });
  }

  /** Starts a shell in `directory`. @throws {Error} When the system cannot, or the shell does not answer. */
  static async start(start: (hooks: CommandHooks) => Promise<StartedShell>, directory: string): Promise<LineShell> {
    const secret = crypto.randomUUID();
    const output = new ShellOutput(secret);
    const abort = new AbortController();
    const started = await start({
      signal: abort.signal,
      onOutput: (chunk) => output.take(chunk),
      onNetwork: (use) => output.hooks?.onNetwork?.(use),
      get unlisted() {
        return output.hooks?.unlisted;
      },
      get onProtectedChange() {
        return output.hooks?.onProtectedChange;
      },
    });
    const shell = new LineShell(started, { output, secret, abort, directory });
    const said: string[] = [];
    const onOutput = (chunk: Uint8Array) => said.push(new TextDecoder().decode(chunk));
    const ready = await withTimeout(shell.#say(OPENING, { onOutput }), START_LIMIT_MS);
    if (ready?.kind === "exited" && shell.#end === undefined) return shell;
    await shell.close();
    throw new Error(`The shell of the session did not start. It wrote: ${said.join("").trim()}`);
  }

  get directory(): string {
    return this.#directory;
  }

  get end(): CommandEnd | undefined {
    return this.#end;
  }

  background(): LeftRunning | undefined {
    return this.#end === undefined ? this.#started.command.processes?.background(this.#earlier) : undefined;
  }

  async isCurrent(): Promise<boolean> {
    const { guard } = this.#started;
    return this.#end === undefined && (guard === undefined || await guard.isCurrent(this.background() !== undefined));
  }

  async run(line: ShellLine, { signal, ...hooks }: CommandHooks): Promise<CommandEnd> {
    const { processes } = this.#started.command;
    const earlier = this.#earlier = new Set(processes?.all());
    if (processes !== undefined) hooks.onRunning?.(ofOneLine(processes));
    const ended = this.#say(lineText(line), hooks);
    let interrupted: Promise<unknown> | undefined;
    const onAbort = () => interrupted = this.#interrupt(signal, ended, earlier);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    const end = await ended;
    signal.removeEventListener("abort", onAbort);
    await interrupted;
    this.#earlier = undefined;
    if (this.#end === undefined) await this.#started.guard?.ends(hooks.onProtectedChange, never);
    return end;
  }

  async close(killAfterMs?: number): Promise<CommandEnd> {
    const { processes } = this.#started.command;
    if (this.#end === undefined && this.#output.hooks !== undefined) processes?.signalFirst(ABANDON_SIGNAL);
    void this.#write(CLOSING).then(() => this.#stdin.close()).catch(ignoreClosedPipe);
    this.#abort.abort(killAfterMs === undefined ? undefined : new HurriedEnd("The session ends", killAfterMs));
    return await this.ended;
  }

  /** Sends `text` and waits for its mark, or for the end of the shell. */
  async #say(text: string, hooks: Omit<CommandHooks, "signal">): Promise<CommandEnd> {
    const marked = this.#output.begin(++this.#lines, hooks);
    void this.#write(text + markText(this.#secret, this.#lines));
    const end = await Promise.race([marked, this.ended]);
    if ("kind" in end) return end;
    this.#directory = end.directory;
    return { kind: "exited", code: end.exitCode };
  }

  async #write(text: string): Promise<void> {
    await this.#stdin.write(encodeText(text)).catch(ignoreClosedPipe);
  }

  /** Ends the running line and all its processes; the shell too if these cannot be distinguished, or do not end. */
  async #interrupt(signal: AbortSignal, ended: Promise<unknown>, earlier: ReadonlySet<number>): Promise<void> {
    const { processes } = this.#started.command;
    if (signal.reason instanceof HurriedEnd) return void this.close(signal.reason.killAfterMs);
    for (const name of processes === undefined ? [] : INTERRUPT_SIGNALS) {
      processes?.signalFirst(ABANDON_SIGNAL);
      if (name !== "SIGINT") processes?.signalFirst("SIGINT");
      for (const pid of processes?.all(earlier) ?? []) signalQuietly(pid, name);
      void this.#write(markText(this.#secret, this.#lines) + NOTE_ENDS); // the shell may still be at the previous line
      if (await withTimeout(ended.then(() => true), INTERRUPT_GRACE_MS)) return await endAll(processes, earlier);
    }
    await this.close();
  }
}

/** Kills what is not `earlier`, and waits until it is gone; one that the kernel cannot end delays it only so long. */
async function endAll(processes: OpenProcesses | undefined, earlier: ReadonlySet<number>): Promise<void> {
  if (processes === undefined) return;
  const end = performance.now() + KILLED_GRACE_MS;
  while (processes.all(earlier).length > 0 && performance.now() < end) {
    processes.kill(earlier);
    await delay(KILLED_LOOK_MS);
  }
}

/** Runs a request in a shell; only a line can run there. */
export async function runWithin(
  shell: OpenShell,
  { run, directory, environment }: CommandRequest,
  hooks: CommandHooks,
): Promise<CommandEnd> {
  if (!("shell" in run)) return { kind: "not_started", message: "A session runs lines only", fault: "server" };
  const target = directory === shell.directory ? undefined : directory;
  return await shell.run({ line: run.shell, directory: target, environment }, hooks);
}

/** The command of a line, without the processor time of earlier lines. */
function ofOneLine(processes: RunningCommand): RunningCommand {
  const { processorMs: before = 0 } = processes.usage() ?? {};
  return {
    listensAt: (port) => processes.listensAt(port),
    holds: (process) => processes.holds(process),
    inputWait: () => processes.inputWait(),
    usage() {
      const now = processes.usage();
      return now && { ...now, processorMs: Math.max(0, now.processorMs - before) };
    },
  };
}
