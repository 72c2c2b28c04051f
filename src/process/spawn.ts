/** The only place that starts a process: a launcher image in a file in memory, with the launcher's pipes (S3). */
import { attempt, messageOf } from "../base/errors.ts";
import type { LeftRunning } from "../base/command/command_end.ts";
import { INTERPRETERS } from "../sandbox/launcher/image/interpreter_code.ts";
import { buildImage } from "../sandbox/launcher/image/image.ts";
import type { Processor } from "../system/syscalls.ts";
import type { Table } from "../sandbox/launcher/image/table.ts";
import { GROUP_STEP } from "../sandbox/launcher/group_steps.ts";
import type { ControlGroup, ControlGroups } from "./groups/control_groups.ts";
import { killDescendants, systemTree } from "./tree/descendants.ts";
import type { ProcessSystem } from "./processes_below.ts";
import { leftRunning } from "./background_processes.ts";
import { type FileFacts, Libc } from "../system/libc.ts";
import { NoticedWatches } from "../system/changes/path_events.ts";
import type { ChangeWatch, Watched } from "../system/stat_watch.ts";
import { type Separated, Separator, type SharedName } from "../sandbox/protect/separate_hard_links.ts";
import { OtherDescriptors } from "../system/open_files/other_descriptors.ts";
import { Terminals } from "../system/terminal/terminal.ts";
import { type ListedProcess, parseProcessList, PS_ARGUMENTS } from "./tree/process_list.ts";

/** How a launcher ended. */
export type LauncherStatus = Pick<Deno.CommandStatus, "code" | "signal">;

/** A started launcher and its pipes. */
export interface LauncherProcess {
  readonly pid: number;
  readonly status: Promise<LauncherStatus>;
  /** Only of a process that was started with it. @throws {TypeError} Of others. */
  readonly stdin: WritableStream<Uint8Array>;
  /** stdout and stderr of the command, joined. */
  readonly output: ReadableStream<Uint8Array>;
  /** The reports of the launcher itself (launcher_reports.ts). @throws {TypeError} If it reports among its output. */
  readonly reports: ReadableStream<Uint8Array>;
  /** The control group of its tree; absent: it has none of its own. */
  readonly group?: ControlGroup | undefined;
}

/** An executable made of one table, usable many times; `steps` name its entries for messages. */
export interface LauncherImage {
  readonly path: string;
  readonly steps: readonly string[];
  /** Its tree enters the control group in whose directory it is started. */
  readonly entersGroup: boolean;
  /** Frees it; a process that was started from it continues. */
  dispose(): void;
}

export class Spawner {
  readonly #libc: Libc;
  readonly #separator: Separator;
  readonly #watches: NoticedWatches;
  #hasIpv6: boolean | undefined;
  #terminals: Terminals | undefined;
  #others: OtherDescriptors | undefined;
  readonly #processor: Processor;
  readonly #fallbackDirectory: string;
  #files = 0;
  #groups: ControlGroups | undefined;

  /** `fallbackDirectory`: a private directory of the session, for systems that forbid executable memory files. */
  constructor(processor: Processor, fallbackDirectory: string) {
    this.#libc = new Libc();
    this.#separator = new Separator();
    this.#watches = new NoticedWatches((paths, watched) => this.#libc.watch(paths, watched));
    this.#processor = processor;
    this.#fallbackDirectory = fallbackDirectory;
  }

  /** Makes the executable of a table. */
  image(table: Table): LauncherImage {
    const bytes = buildImage(table, INTERPRETERS[this.#processor]);
    const descriptor = this.#libc.memoryFile(bytes);
    const { steps } = table;
    const entersGroup = steps.includes(GROUP_STEP);
    if (descriptor === undefined) return { ...this.#file(bytes), steps, entersGroup };
    return {
      path: `/proc/${Deno.pid}/fd/${descriptor}`,
      steps,
      entersGroup,
      dispose: () => this.#libc.closeDescriptor(descriptor),
    };
  }

  /** Starts it. `stdin` piped: the caller closes it. `reports` null: among the output. @throws {Error} If it cannot. */
  start(image: LauncherImage, stdin: "piped" | "null", reports: "piped" | "null" = "piped"): LauncherProcess {
    const group = image.entersGroup ? this.#groups?.make() : undefined;
    const command = new Deno.Command(image.path, {
      stdin,
      stdout: "piped",
      stderr: reports,
      clearEnv: true,
      cwd: group?.path ?? "/",
    });
    try {
      const process = launcherOf(command.spawn(), group);
      void process.status.finally(() => group?.remove());
      return process;
    } catch (thrown) {
      group?.remove();
      throw thrown;
    }
  }

  /** The control groups of launches; undefined: there are none. */
  get groups(): ControlGroups | undefined {
    return this.#groups;
  }

  /** Gives launches that follow a group each; undefined: none. */
  useGroups(groups: ControlGroups | undefined): void {
    this.#groups = groups;
  }

  /** Names of the directories in a directory. */
  directoriesIn(path: string): readonly string[] {
    return this.#libc.searched(path).map(({ name }) => name);
  }

  /** One attempt to kill all processes below `root` (descendants.ts). */
  killDescendants(root: number): void {
    killDescendants(root, systemTree(this.#libc));
  }

  /** The living children of `parent`, by name (background_processes.ts). */
  leftRunning(parent: number): LeftRunning | undefined {
    return leftRunning(parent, this.processes);
  }

  /** The processes of this system. */
  get processes(): ProcessSystem {
    const libc = this.#libc;
    return {
      ...systemTree(libc),
      commandLineOf: (pid) => libc.readProc(`/proc/${pid}/cmdline`),
      statOf: (pid) => libc.readProc(`/proc/${pid}/stat`),
      memoryOf: (pid) => libc.readProc(`/proc/${pid}/status`),
      callsOf: (pid) => libc.callsOf(pid),
      waitsOf: (thread) => libc.waitsOf(thread),
      descriptorsOf: (pid) => libc.descriptorsOf(pid),
      unread: (place) => this.terminals.unread(place),
      socketsOf: (pid) => libc.socketsOf(pid),
      tablesOf: (pid, protocol) =>
        ["", "6"].flatMap((version) => libc.readProc(`/proc/${pid}/net/${protocol}${version}`, { whole: true }) ?? []),
    };
  }

  /** For the terminals of commands. */
  get terminals(): Terminals {
    return this.#terminals ??= new Terminals();
  }

  /** A copy of a descriptor of a process. @throws {Error} When the system refuses. */
  takeDescriptor(pid: number, descriptor: number): number {
    return (this.#others ??= new OtherDescriptors()).take(pid, descriptor);
  }

  /** Whether commands can have IPv6. */
  get hasIpv6(): boolean {
    return this.#hasIpv6 ??= this.#libc.hasIpv6();
  }

  /** The entry at a path itself (libc.ts). */
  lookAt(path: string): FileFacts | undefined {
    return this.#libc.lookAt(path);
  }

  /** Watches paths that are checked again and again (path_events.ts). */
  watch(paths: readonly string[], watched?: Watched): ChangeWatch {
    return this.#watches.watch(paths, watched);
  }

  /** Separates a file from its other names (separate_hard_links.ts). */
  separate(file: SharedName): Separated {
    return this.#separator.separate(file);
  }

  /** Opens a namespace of a process, which then outlives it; undefined: it is gone, or may not be inspected. */
  openNamespace(pid: number, kind: "net" | "user"): { readonly path: string; close(): void } | undefined {
    const descriptor = this.#libc.openDescriptor(`/proc/${pid}/ns/${kind}`);
    return descriptor === undefined ? undefined : {
      path: `/proc/${Deno.pid}/fd/${descriptor}`,
      close: () => this.#libc.closeDescriptor(descriptor),
    };
  }

  /** Whether this system allows no user namespaces at all (user_namespaces(7)). */
  namespacesAreSwitchedOff(): boolean {
    return this.#libc.readProc("/proc/sys/user/max_user_namespaces")?.trim() === "0";
  }

  close(): void {
    this.#separator[Symbol.dispose]();
    this.#watches[Symbol.dispose]();
    this.#terminals?.[Symbol.dispose]();
    this.#others?.[Symbol.dispose]();
    this.#libc[Symbol.dispose]();
  }

  #file(bytes: Uint8Array): Pick<LauncherImage, "path" | "dispose"> {
    const path = `${this.#fallbackDirectory}/launcher-${++this.#files}`;
    Deno.writeFileSync(path, bytes, { mode: 0o700, createNew: true });
    return { path, dispose: () => Deno.removeSync(path) };
  }
}

/** A program to start without a launcher. */
export interface ProgramStart {
  /** Absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  /** All variables it gets. */
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
}

function commandOf(
  { program, args, environment, directory }: ProgramStart,
  options: Pick<Deno.CommandOptions, "stdin" | "stdout" | "stderr" | "detached">,
): Deno.Command {
  return new Deno.Command(program, {
    args: [...args],
    env: { ...environment },
    clearEnv: true,
    cwd: directory,
    stdout: "piped",
    ...options,
  });
}

/** Starts a program as leader of a session and process group; reports are stderr. @throws {Error} When it cannot. */
export function startGroup(start: ProgramStart & { readonly stdin: "piped" | "null" }): LauncherProcess {
  return launcherOf(commandOf(start, { stdin: start.stdin, stderr: "piped", detached: true }).spawn());
}

/** A question to a program of the system that commands cannot have written; it runs outside the sandbox. */
export interface Question extends ProgramStart {
  readonly longestMs: number;
  readonly mostBytes: number;
  /** What it writes at its end: the answer precedes it, even if other programs still hold stdout. Absent: the answer is everything. */
  readonly endMark?: string;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** `unanswered`: it took too long or wrote too much, and was ended. `failed`: it had an error, or did not start. */
export type Asked = { readonly kind: "answered"; readonly text: string } | { readonly kind: "unanswered" | "failed" };

/** What a program writes to stdout. At the limit it does not wait for other programs that still hold stdout. */
export async function askProgram(question: Question): Promise<Asked> {
  const { longestMs, mostBytes, endMark, signal } = question;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(longestMs)]);
  const child = attempt(Error, () => commandOf(question, { stdin: "null", stderr: "null" }).spawn());
  if (child === undefined) return { kind: "failed" };
  const reader = child.stdout.getReader();
  const leave = () => void reader.cancel();
  limit.addEventListener("abort", leave, { once: true });
  const end = () => child.kill("SIGKILL");
  limit.addEventListener("abort", end, { once: true });
  const ended = child.status.finally(() => limit.removeEventListener("abort", end));
  const decoder = new TextDecoder();
  let [text, length, isWhole] = ["", 0, false];
  while (!isWhole && length <= mostBytes) {
    const { done, value } = await reader.read();
    text += decoder.decode(value, { stream: !done });
    length += value?.length ?? 0;
    isWhole = done || endMark !== undefined && text.includes(endMark);
  }
  limit.removeEventListener("abort", leave);
  await reader.cancel(); // which closes the pipe, and so ends the program at its next write
  const { success } = await ended;
  if (limit.aborted || !isWhole) return { kind: "unanswered" };
  const at = endMark === undefined ? -1 : text.indexOf(endMark);
  return success ? { kind: "answered", text: at < 0 ? text : text.slice(0, at) } : { kind: "failed" };
}

/** Starts a program of the user's desktop outside the sandbox; it outlives the server. The problem: it cannot start. */
export function startDetached(start: ProgramStart): string | undefined {
  try {
    commandOf(start, { stdin: "null", stdout: "null", stderr: "null", detached: true }).spawn().unref();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return "no such program";
    return messageOf(thrown);
  }
}

/** All processes of the machine, for systems without /proc. @throws {Error} When ps cannot be asked. */
export async function listProcesses(): Promise<readonly ListedProcess[]> {
  const start = { program: "/bin/ps", args: PS_ARGUMENTS, environment: { LC_ALL: "C" }, directory: "/" };
  const { stdout } = await commandOf(start, { stdin: "null", stderr: "null" }).output();
  return parseProcessList(new TextDecoder().decode(stdout));
}

/** Starts another instance of this program, which ends when its stdin does. @throws {Error} When the system cannot. */
export function startOwnProgram(start: ProgramStart): Deno.ChildProcess {
  return commandOf(start, { stdin: "piped", stderr: "piped" }).spawn();
}

function launcherOf(child: Deno.ChildProcess, group?: ControlGroup): LauncherProcess {
  return {
    group,
    pid: child.pid,
    status: child.status,
    output: child.stdout,
    get reports() {
      return child.stderr;
    },
    get stdin() {
      return child.stdin;
    },
  };
}
