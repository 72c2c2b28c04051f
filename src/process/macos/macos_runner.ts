/** Runs commands on macOS: a prelude of two lines leads a process group, in `sandbox-exec` unless `--no-sandbox`. */
import { type CommandEnd, describeEnd } from "../../base/command/command_end.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { narrowedReach, type NetworkReach } from "../../base/network/network_bound.ts";
import { encodeText } from "../../base/text.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { isExecutableFile, programPaths, searchPath } from "../../system/search_path.ts";
import { describeSandboxExecFailure, sandboxExecArguments } from "../../sandbox/seatbelt/sandbox_exec.ts";
import type { SeatbeltSandbox } from "../../sandbox/prepare_macos.ts";
import type { SessionSandbox } from "../../sandbox/settle_paths.ts";
import type {
  CommandHooks,
  CommandRequest,
  OpenCommand,
  OpenRequest,
  OpenShell,
  SessionRunner,
} from "../command_runner.ts";
import { ProcessGroup } from "./process_group.ts";
import { describeFailure } from "../linux/launch/launcher_reports.ts";
import { withOpenInput } from "../pipe_input.ts";
import { writeAndClose } from "../supervision.ts";
import { LineShell, runWithin } from "../open_shell/line_shell.ts";
import { lineArguments, openShellArguments, type Shell } from "../shell.ts";
import { type LauncherProcess, listProcesses, startGroup } from "../spawn.ts";

export interface MacosRunnerOptions extends Pick<SeatbeltSandbox, "confinement" | "offline" | "loopback" | "network"> {
  readonly sandbox: Pick<SessionSandbox, "environment">;
  readonly shell: Shell;
  readonly logger: Logger;
}

/** Written when the sandbox holds and the command comes next; text before it is not the command's. */
const START_MARK = "ahma_mcp: the command begins\n";
/** Runs its words as a program, with stderr in the pipe of stdout, so that the order is kept (X7). */
const JOINED = 'printf %s "$0" >&2; exec 2>&1; exec "$@"';
const APART = 'printf %s "$0" >&2; exec "$@"';
/** Part of every macOS, and of what the profile lets run. */
const PRELUDE_SHELL = "/bin/sh";

const NOT_FOUND = 2;
const NOT_EXECUTABLE = 13;

export class MacosRunner implements SessionRunner {
  readonly policy = Promise.resolve(undefined);
  readonly selfTest = Promise.resolve(undefined);
  readonly #options: MacosRunnerOptions;
  readonly #departing = new Set<Promise<void>>();

  constructor(options: MacosRunnerOptions) {
    this.#options = options;
  }

  /** Self-test: starts a program that does nothing in the sandbox of the session (S12). */
  async tryOut(directory: string): Promise<Outcome<void>> {
    const end = await this.run(
      { run: { argv: ["/usr/bin/true"] }, directory, environment: {}, stdin: undefined },
      { signal: AbortSignal.timeout(SELF_TEST_TIMEOUT_MS), onOutput: () => {} },
    );
    if (end.kind === "not_started") return failure(end.message);
    if (end.kind === "exited" && end.code === 0) return success(undefined);
    return failure(`Cannot enforce the sandbox: its trial failed. ${describeEnd(end)}`);
  }

  warmUp(): Promise<void> {
    return Promise.resolve();
  }

  async run(request: CommandRequest, hooks: CommandHooks): Promise<CommandEnd> {
    if (request.within !== undefined) return await runWithin(request.within, request, hooks);
    try {
      if (this.#reachOf(request) === "names") return { kind: "not_started", message: NO_LISTS };
      const found = await this.#find(request);
      if (!found.ok) return { kind: "not_started", message: found.problem };
      const process = this.#start([JOINED, START_MARK, ...found.value], request);
      const { end } = this.#follow(process, hooks, () => {});
      if (request.input !== undefined) {
        return await withOpenInput(process, request.stdin, (input) => {
          // This system does not tell what a process listens at or waits for.
          hooks.onRunning?.({
            input,
            listensAt: () => false,
            holds: () => false,
            inputWait: () => undefined,
            usage: () => undefined,
          });
          return end;
        });
      }
      if (request.stdin !== undefined) await writeAndClose(process, encodeText(request.stdin));
      return await end;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { kind: "not_started", message: `Cannot start the command: ${messageOf(error)}`, fault: "server" };
    }
  }

  /** @throws {Error} When it cannot be started. */
  async openShell(directory: string): Promise<OpenShell> {
    const request = { run: { argv: openShellArguments(this.#options.shell) }, directory, environment: {} };
    return await LineShell.start(async (hooks) => ({ command: await this.open(request, hooks) }), directory);
  }

  /** @throws {Error} when the program is missing or the system cannot start a process */
  async open(request: OpenRequest, hooks: CommandHooks): Promise<OpenCommand> {
    const found = await this.#find(request);
    if (!found.ok) throw new Error(found.problem);
    if (request.stderrFile === undefined) {
      const process = this.#start([JOINED, START_MARK, ...found.value], { ...request, stdin: "" });
      return { stdin: process.stdin, end: this.#follow(process, hooks, () => {}).end };
    }
    const errors = await Deno.open(request.stderrFile, { append: true });
    const process = this.#start([APART, START_MARK, ...found.value], { ...request, stdin: "" });
    const { end, gone } = this.#follow(process, hooks, (chunk) => errors.writeSync(chunk));
    void gone.finally(() => errors.close());
    return { stdin: process.stdin, end };
  }

  async settled(): Promise<void> {
    await Promise.all(this.#departing);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.settled();
  }

  /** The words of the command, its program's path first. */
  async #find({ run, directory, environment }: Pick<CommandRequest, "run" | "directory" | "environment">) {
    const { shell, sandbox } = this.#options;
    if ("shell" in run) return success([shell.path, ...lineArguments(shell, run.shell).slice(1)]);
    const [program = "", ...args] = run.argv;
    const path = searchPath(environment["PATH"] ?? sandbox.environment["PATH"]);
    let errno = NOT_FOUND;
    for (const candidate of programPaths(program, path, directory)) {
      const kind = await kindOf(candidate);
      if (kind === "program") return success([candidate, ...args]);
      if (kind === "other") errno = NOT_EXECUTABLE;
    }
    return failure(describeFailure({ step: 0, errno }, [`start "${program}"`], program));
  }

  #start(words: readonly string[], request: Omit<CommandRequest, "run">): LauncherProcess {
    const { sandbox } = this.#options;
    const confinement = this.#confinementOf(request);
    const prelude = ["-c", ...words];
    return startGroup({
      ...confinement === undefined
        ? { program: PRELUDE_SHELL, args: prelude }
        : { program: confinement.program, args: sandboxExecArguments(confinement, [PRELUDE_SHELL, ...prelude]) },
      environment: { ...sandbox.environment, ...request.environment },
      directory: request.directory,
      stdin: request.stdin === undefined && request.input === undefined ? "null" : "piped",
    });
  }

  /** Where a command may connect, by its tool file. */
  #reachOf({ network }: Pick<CommandRequest, "network">): NetworkReach["network"] {
    const { network: whole, confinement } = this.#options;
    if (network === undefined || confinement === undefined) return whole;
    return narrowedReach({ network: whole, names: [] }, network).network;
  }

  #confinementOf(request: Pick<CommandRequest, "network" | "offline">): MacosRunnerOptions["confinement"] {
    const { confinement, offline, loopback, network } = this.#options;
    const reach = this.#reachOf(request);
    if (request.offline || reach === "none" && network !== "none") return offline;
    return reach === network ? confinement : loopback;
  }

  #follow(process: LauncherProcess, hooks: CommandHooks, onError: (chunk: Uint8Array) => void): ProcessGroup {
    const { confinement, logger } = this.#options;
    const group = new ProcessGroup({
      process,
      startMark: START_MARK,
      onError,
      listProcesses,
      logger,
      explain: ({ code, signal }, said) =>
        confinement === undefined
          ? `Cannot start the command: the shell ended with ${signal ?? `exit code ${code}`}. It wrote: ${said.trim()}`
          : describeSandboxExecFailure({ code, signal: signal ?? undefined, said }, confinement.profileFile),
    }, hooks);
    this.#departing.add(group.gone);
    void group.gone.finally(() => this.#departing.delete(group.gone));
    return group;
  }
}

const NO_LISTS =
  'Cannot restrict commands to the hosts of "network" in their tool file on macOS: Seatbelt cannot filter by name. ' +
  'Write "none" or "localhost" there, or leave it out';
/** Milliseconds. */
const SELF_TEST_TIMEOUT_MS = 10_000;

async function kindOf(path: string): Promise<"program" | "other" | "missing"> {
  try {
    return isExecutableFile(await Deno.stat(path)) ? "program" : "other";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return "missing";
    if (error instanceof Error) return "other";
    throw error;
  }
}
