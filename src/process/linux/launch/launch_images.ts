/** Launcher images and parts of tables for the current policy and guarded paths (S7, S8); a change makes new ones. */
import { onTerminal } from "../../../sandbox/grants/environment.ts";
import { expected } from "../../../system/paths.ts";
import { withoutPrivateSockets } from "../../../sandbox/policy/confinement.ts";
import { programPaths, searchPath } from "../../../system/search_path.ts";
import type { GuardView } from "../../../sandbox/protect/guard_view.ts";
import type { SharedNetwork } from "../../../sandbox/launcher/steps/network_steps.ts";
import { launchTable, type LaunchTarget, policyTable } from "../../../sandbox/launcher/policy_table.ts";
import type { Table } from "../../../sandbox/launcher/image/table.ts";
import {
  type CommandBlock,
  commandBlock,
  type WaitingTable,
  waitingTable,
} from "../../../sandbox/launcher/prewarmed_table.ts";
import { canFork } from "../../../sandbox/launcher/can_fork.ts";
import {
  forkingShellTable,
  type ServedBlock,
  servedBlock,
  servingShellTable,
  type ServingTable,
  servingTable,
} from "../../../sandbox/launcher/serving_table.ts";
import type { GuardedPath, LaunchCommand, SandboxPolicy } from "../../../sandbox/policy/policy.ts";
import type { Sandbox } from "../../../sandbox/prepare_linux.ts";
import type { CommandRequest } from "../../command_runner.ts";
import { forkingArguments, lineArguments, prewarmedArguments, servingArguments, type Shell } from "../../shell.ts";
import type { LauncherImage, Spawner } from "../../spawn.ts";

export interface LaunchImagesOptions {
  readonly sandbox: Sandbox;
  readonly shell: Shell;
  readonly spawner: Spawner;
  /** Called when prewarmed processes were started for an older state of guarded or granted paths. */
  readonly onStale: () => void;
}

/** The policy to launch under; undefined: `--no-sandbox`. */
type Policy = SandboxPolicy | undefined;

/** The image of a launcher that waits for its command and how to run it. */
interface ToldLauncher<Table> {
  readonly image: LauncherImage;
  readonly table: Table;
}

/** What the table of one command has of its own. */
export interface CommandParts {
  readonly stderrFile?: string | undefined;
  readonly part?: Table | undefined;
}

export class LaunchImages implements Disposable {
  readonly #options: LaunchImagesOptions;
  /** The state that all of this was made for. */
  #guarded: GuardView | undefined;
  /** The state of what is guarded; undefined: not asked for. */
  #readOnly: readonly string[] | undefined;
  #network: SharedNetwork | undefined;
  #policyPart: Table | undefined;
  /** By the policy of commands whose network is narrower. */
  #narrowParts = new WeakMap<SandboxPolicy, Table>();
  #shell: LauncherImage | undefined;
  #launcher: ToldLauncher<WaitingTable> | undefined;
  #servingShell: LauncherImage | undefined;
  #forkingShell: LauncherImage | undefined;
  #servingLauncher: ToldLauncher<ServingTable> | undefined;

  constructor(options: LaunchImagesOptions) {
    this.#options = options;
  }

  /** Protected paths that commands see read-only at this moment, canonical; without namespaces none. */
  get readOnly(): readonly string[] {
    return this.#readOnly ??= (this.#guarded?.guarded ?? []).filter(({ treatment }) => treatment === "read_only")
      .map(({ path }) => path);
  }

  /** Processor and server process that launches are for. */
  get target(): LaunchTarget {
    const { sandbox: { processor }, spawner } = this.#options;
    const grouped = spawner.groups !== undefined && { entersGroup: true as const };
    return { processor, serverPid: Deno.pid, sharedNetwork: this.#network, ...grouped };
  }

  /** Sets, once and before the first launch, the network that commands share; undefined: each has its own. */
  shareNetwork(network: SharedNetwork | undefined): void {
    this.#network = network;
  }

  /** Ends prewarmed processes whose image is still valid, but whose state from the start is not. */
  invalidatePrewarmed(): void {
    this.#options.onStale();
  }

  /** Sets what is guarded from now on, and disposes images of an older state. */
  adopt(view: GuardView | undefined): void {
    const made = this.#guarded?.key ?? "";
    if (this.#guarded === view) return;
    this.#guarded = view;
    this.#readOnly = undefined;
    if (made !== (view?.key ?? "")) this.discard();
  }

  /** Disposes all images, because the guarded paths or the policy have changed. */
  discard(): void {
    this.#options.onStale();
    this.#policyPart = undefined;
    this.#narrowParts = new WeakMap();
    this[Symbol.dispose]();
    this.#shell = undefined;
    this.#launcher = undefined;
    this.#servingShell = undefined;
    this.#forkingShell = undefined;
    this.#servingLauncher = undefined;
  }

  /** The part of a table that confines. */
  policyPart(policy: Policy): Table {
    return this.#policyPart ??= policyTable(this.#withGuarded(policy), this.target);
  }

  /** The same with a narrower network. `network`: the one that they share; undefined: each has its own. */
  narrowPart(policy: SandboxPolicy, network: SharedNetwork | undefined): Table {
    const known = this.#narrowParts.get(policy);
    if (known !== undefined) return known;
    const table = policyTable(this.#withGuarded(policy), { ...this.target, sharedNetwork: network });
    this.#narrowParts.set(policy, table);
    return table;
  }

  /** The part of one previewed command. `network`: as above; absent: the session's. */
  previewedPart(policy: SandboxPolicy, network: SharedNetwork | undefined = this.#network): Table {
    return policyTable(this.#withGuarded(policy), { ...this.target, sharedNetwork: network });
  }

  /** The image of a prewarmed shell; kept here. */
  prewarmedShell(policy: Policy): LauncherImage {
    const { shell, sandbox, spawner } = this.#options;
    return this.#shell ??= spawner.image(launchTable(this.policyPart(policy), {
      programs: [shell.path],
      argv: prewarmedArguments(shell),
      environment: listOf(sandbox.environment),
      directory: sandbox.scopes[0]?.path ?? "/",
      reports: true,
    }, sandbox.processor));
  }

  /** The image of a prewarmed launcher; kept here. */
  prewarmedLauncher(policy: Policy): LauncherImage {
    return this.#prewarmedLauncher(policy).image;
  }

  /** The image of a launcher that serves and keeps a shell waiting; kept here. */
  servingShell(policy: SandboxPolicy): LauncherImage {
    const { shell, sandbox, spawner } = this.#options;
    return this.#servingShell ??= spawner.image(servingShellTable(this.#withGuarded(policy), this.target, {
      programs: [shell.path],
      argv: servingArguments(shell),
      environment: listOf(sandbox.environment),
      directory: sandbox.scopes[0]?.path ?? "/",
    }));
  }

  /** The image of a launcher that becomes a shell, which forks for each line; kept here. */
  forkingShell(policy: SandboxPolicy): LauncherImage {
    const { shell, sandbox, spawner } = this.#options;
    if (this.#forkingShell !== undefined) return this.#forkingShell;
    const { table, steps } = forkingShellTable(this.#withGuarded(policy), this.target, {
      programs: [shell.path],
      argv: forkingArguments(),
      environment: listOf(sandbox.environment),
      directory: this.forkingDirectory,
    });
    return this.#forkingShell = { ...spawner.image(table), steps };
  }

  /** Whether the shell may fork under a policy. */
  canFork(policy: SandboxPolicy): boolean {
    const { shell, sandbox } = this.#options;
    return shell.canWait && canFork(policy, { ...sandbox, shell: shell.path });
  }

  /** Where a shell that forks stands. */
  get forkingDirectory(): string {
    return this.#options.sandbox.scopes[0]?.path ?? "/";
  }

  /** The image of a launcher that serves blocks; kept here. */
  servingLauncher(policy: SandboxPolicy): LauncherImage {
    return this.#toldServing(policy).image;
  }

  /** The input that makes a serving launcher run a command; undefined: the command does not fit. */
  servedBlock(policy: SandboxPolicy, request: CommandRequest): ServedBlock | undefined {
    const { environment, ...command } = this.#launchCommand(request);
    const isPlain = Object.keys(request.environment).length === 0;
    return servedBlock(this.#toldServing(policy).table, {
      ...command,
      environment: isPlain ? undefined : environment,
    });
  }

  /** The input that makes a prewarmed launcher run a command; undefined: the command does not fit. */
  commandBlock(policy: Policy, request: CommandRequest): CommandBlock | undefined {
    const hasStdin = request.stdin !== undefined;
    const { table, image } = this.#prewarmedLauncher(policy);
    const block = commandBlock(table, this.#launchCommand(request), { hasStdin });
    return block && { ...block, steps: [...image.steps, ...block.steps] };
  }

  /**
   * The image of one command, which the caller disposes. `policy`: that of an offline request is narrower.
   * `stderrFile`: stderr goes there, not into the output. `part`: of a policy with a narrower network.
   */
  command(
    policy: Policy,
    request: Omit<CommandRequest, "stdin">,
    { stderrFile, part = this.#partFor(policy, request, stderrFile) }: CommandParts = {},
  ): LauncherImage {
    const { sandbox, spawner } = this.#options;
    const terminal = request.input === "terminal"
      ? { size: TERMINAL_SIZE, isOwn: policy?.terminals === true }
      : undefined;
    return spawner.image(launchTable(part, this.#launchCommand(request), sandbox.processor, terminal));
  }

  [Symbol.dispose](): void {
    this.#shell?.dispose();
    this.#launcher?.image.dispose();
    this.#servingShell?.dispose();
    this.#forkingShell?.dispose();
    this.#servingLauncher?.image.dispose();
  }

  #partFor(policy: Policy, { offline }: Pick<CommandRequest, "offline">, stderrFile: string | undefined): Table {
    if (stderrFile === undefined && offline !== true) return this.policyPart(policy);
    return policyTable(this.#withGuarded(policy), { ...this.target, ...stderrFile !== undefined && { stderrFile } });
  }

  #prewarmedLauncher(policy: Policy): ToldLauncher<WaitingTable> {
    if (this.#launcher !== undefined) return this.#launcher;
    const table = waitingTable(this.#withGuarded(policy), this.target);
    return this.#launcher = { table, image: this.#options.spawner.image(table.table) };
  }

  #toldServing(policy: SandboxPolicy): ToldLauncher<ServingTable> {
    if (this.#servingLauncher !== undefined) return this.#servingLauncher;
    const { sandbox, spawner } = this.#options;
    const table = servingTable(this.#withGuarded(policy), this.target, listOf(sandbox.environment));
    return this.#servingLauncher = { table, image: spawner.image(table.table) };
  }

  #withGuarded<Given extends Policy>(policy: Given): Given {
    if (policy === undefined) return policy;
    const { guarded = [], closesSockets = false } = this.#guarded ?? {};
    const { confinement } = policy;
    return {
      ...policy,
      guarded: policy.previewed === undefined ? guarded : guarded.map(uncopied),
      confinement: closesSockets ? withoutPrivateSockets(confinement) : confinement,
    };
  }

  #launchCommand({ run, directory, environment: added, input }: Omit<CommandRequest, "stdin">): LaunchCommand {
    const { sandbox, shell } = this.#options;
    const usual = input === "terminal" ? onTerminal(sandbox.environment) : sandbox.environment;
    const environment = listOf({ ...usual, ...added });
    if ("shell" in run) {
      return { programs: [shell.path], argv: lineArguments(shell, run.shell), environment, directory };
    }
    const [program = ""] = run.argv;
    const path = searchPath(added["PATH"] ?? sandbox.environment["PATH"]);
    const programs = programPaths(program, path, directory);
    // An existing one is tried again last, so that the reported reason is its own.
    const found = programs.length === 1 ? undefined : programs.find((one) => expected(() => Deno.statSync(one)));
    return { programs: [...programs, ...found === undefined ? [] : [found]], argv: run.argv, environment, directory };
  }
}

/** What a previewed command changes in a copy would come back to the file itself: it sees the file, read-only. */
function uncopied(guarded: GuardedPath): GuardedPath {
  return guarded.treatment === "copied" ? { ...guarded, treatment: "read_only", cover: guarded.path } : guarded;
}

/** What a terminal begins with. */
export const TERMINAL_SIZE = { columns: 80, rows: 24 };

function listOf(environment: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(environment).map(([name, value]) => `${name}=${value}`);
}
