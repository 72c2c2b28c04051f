/** Control groups for the trees of launches (S38), below one that bounds all, where the kernel allows them. */
import type { TreeUsage } from "../../base/command/tree_usage.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { ControlFiles } from "../../system/open_files/control_files.ts";
import { EEXIST } from "../../system/syscalls.ts";
import {
  type GroupController,
  type GroupPlace,
  ownGroup,
  placesFor,
  SERVER_GROUP,
  serversIn,
  usefulControllers,
} from "./group_place.ts";
import { type GroupLimits, usageFrom } from "./group_usage.ts";

/** What all commands of a server may use together, as shares of the machine. */
const SHARE = { memory: 0.8, tasks: 0.5 };

export interface ControlGroupsOptions {
  readonly files: ControlFiles;
  readonly limits: GroupLimits;
  /** Names of the directories in a directory. */
  readonly directoriesIn: (path: string) => readonly string[];
  readonly uid: number;
}

/** The groups of one session; disposal removes the one around them. */
export class ControlGroups implements Disposable {
  /** What the kernel counts. */
  readonly controllers: readonly GroupController[];
  /** The group that contains all others. */
  readonly directory: string;
  /** What all commands of the server have together; undefined: no limit of this program. */
  readonly together: GroupLimits;
  readonly #options: ControlGroupsOptions;
  readonly #session = crypto.randomUUID().slice(0, 8);
  /** Groups whose removal must be tried again. */
  readonly #left = new Set<string>();
  #made = 0;

  private constructor(
    options: ControlGroupsOptions,
    directory: string,
    { controllers, together }: Pick<ControlGroups, "controllers" | "together">,
  ) {
    this.#options = options;
    this.directory = directory;
    this.controllers = controllers;
    this.together = together;
  }

  /** The problem says why this process cannot create groups. */
  static open(options: ControlGroupsOptions): Outcome<ControlGroups> {
    const { files, uid } = options;
    const read = (path: string) => files.read(path);
    const own = ownGroup(read("/proc/self/mountinfo") ?? "", read("/proc/self/cgroup") ?? "");
    if (own === undefined) return failure("no control groups of version 2 are mounted where this server may write");
    const places = placesFor({ own, isRoot: uid === 0, pid: Deno.pid, read });
    if (places.length === 0) return failure(`the server's control group "${own.directory}" is not its own`);
    const problems: string[] = [];
    for (const place of places) {
      const opened = openAt(place, options);
      if (opened.ok) return success(new ControlGroups(options, opened.value.directory, opened.value));
      problems.push(opened.problem);
    }
    return failure(problems.join("; "));
  }

  /** Creates a group for a launch. @throws {Error} When the system cannot. */
  make(): ControlGroup {
    const { files, limits } = this.#options;
    for (const path of this.#left) if (files.removeDirectory(path)) this.#left.delete(path);
    const path = `${this.directory}/${this.#session}-${++this.#made}`;
    const errno = files.makeDirectory(path);
    if (errno !== 0) {
      throw new Error(`Cannot make control group "${path}": error ${errno}. Look at cgroup.max.descendants above it`);
    }
    if (this.controllers.includes("memory")) {
      files.write(`${path}/memory.oom.group`, "1");
      if (limits.memory !== undefined) {
        files.write(`${path}/memory.max`, String(limits.memory));
        files.write(`${path}/memory.swap.max`, "0"); // missing without swap
      }
    }
    // The first process of a namespace is not the command's.
    if (limits.tasks !== undefined) files.write(`${path}/pids.max`, String(limits.tasks + 1));
    return new ControlGroup(path, { files, limits, onLeft: (left) => this.#left.add(left) });
  }

  [Symbol.dispose](): void {
    const { files } = this.#options;
    for (const path of this.#left) files.removeDirectory(path);
    files.removeDirectory(this.directory);
  }
}

interface GroupParts extends Pick<ControlGroupsOptions, "files" | "limits"> {
  /** Called when it could not be removed yet. */
  readonly onLeft: (path: string) => void;
}

/** The group of one launch, whose processes may run one command after another. */
export class ControlGroup {
  readonly path: string;
  readonly #parts: GroupParts;
  /** Kept open: every command reads them. */
  readonly #peak: number | undefined;
  readonly #processor: number | undefined;
  #commands = 0;
  #peakIsOwn = true;
  #processorBefore: string | undefined;
  /** It includes processes that were refused to earlier commands. */
  #taskEvents: string | undefined;
  #last: TreeUsage | undefined;

  constructor(path: string, parts: GroupParts) {
    this.path = path;
    this.#parts = parts;
    this.#peak = parts.files.open(`${path}/memory.peak`);
    this.#processor = parts.files.open(`${path}/cpu.stat`);
  }

  /** A command begins. */
  begin(): void {
    const { files } = this.#parts;
    // Since Linux 6.12 a write resets the peak that a descriptor reads.
    this.#peakIsOwn = this.#commands++ === 0 || this.#peak !== undefined && files.writeOpen(this.#peak, "0");
    this.#processorBefore = this.#readOpen(this.#processor);
  }

  /** What the ended command used, or had used when the group was removed. `succeeded`: no limit mattered. */
  usage({ succeeded }: { readonly succeeded: boolean }): TreeUsage {
    if (this.#last !== undefined) return this.#last;
    const { files, limits } = this.#parts;
    const events = (name: string) => succeeded ? undefined : files.read(`${this.path}/${name}`);
    const taskEventsBefore = this.#taskEvents;
    this.#taskEvents = events("pids.events") ?? taskEventsBefore;
    return usageFrom({
      processor: this.#readOpen(this.#processor),
      processorBefore: this.#processorBefore,
      memoryPeak: this.#readOpen(this.#peak),
      peakIsOwn: this.#peakIsOwn,
      memoryEvents: events("memory.events"),
      taskEvents: this.#taskEvents,
      taskEventsBefore,
    }, limits);
  }

  /** To be called when its last process is gone. */
  remove(): void {
    const { files, onLeft } = this.#parts;
    this.#last = this.usage({ succeeded: false });
    for (const fd of [this.#peak, this.#processor]) if (fd !== undefined) files.close(fd);
    if (!files.removeDirectory(this.path)) onLeft(this.path);
  }

  #readOpen(fd: number | undefined): string | undefined {
    return fd === undefined ? undefined : this.#parts.files.readOpen(fd);
  }
}

/** Creates the group that contains all others, with their common limits. */
function openAt(
  { directory, leavesFirst }: GroupPlace,
  { files, directoriesIn }: ControlGroupsOptions,
): Outcome<Pick<ControlGroups, "directory" | "controllers" | "together">> {
  const offered = usefulControllers(files.read(`${directory}/cgroup.controllers`));
  if (offered.length === 0) {
    return failure(`"${directory}" has neither the memory nor the pids controller (version 1 may hold them)`);
  }
  removeLeftovers(directory, files, directoriesIn);
  const server = `${directory}/${SERVER_GROUP}`;
  const makeGroup = (path: string) => [0, EEXIST].includes(files.makeDirectory(path));
  if (leavesFirst && !(makeGroup(server) && files.write(`${server}/cgroup.procs`, String(Deno.pid)))) {
    return failure(`the server may make no groups in "${directory}"`);
  }
  const group = `${directory}/ahma_mcp-${Deno.pid}`;
  for (const one of offered) files.write(`${directory}/cgroup.subtree_control`, `+${one}`);
  if (!makeGroup(group)) return failure(`the server may make no groups in "${directory}"`);
  const controllers = usefulControllers(files.read(`${group}/cgroup.controllers`));
  for (const one of controllers) files.write(`${group}/cgroup.subtree_control`, `+${one}`);
  if (controllers.length === 0) {
    files.removeDirectory(group);
    return failure(`"${directory}" gives its groups neither the memory nor the pids controller`);
  }
  const together = togetherOn(directory, files);
  if (together.memory !== undefined) files.write(`${group}/memory.max`, String(together.memory));
  if (together.tasks !== undefined) files.write(`${group}/pids.max`, String(together.tasks));
  return success({ directory: group, controllers, together });
}

/** Shares of the machine, or of the group in which the server was started. */
function togetherOn(directory: string, files: ControlFiles): GroupLimits {
  const kibibytes = Number(/^MemTotal:\s*(\d+)/m.exec(files.read("/proc/meminfo") ?? "")?.[1] ?? NaN);
  const threads = Number(files.read("/proc/sys/kernel/threads-max") ?? NaN);
  const share = (all: readonly number[], part: number) => {
    const least = Math.min(...all.filter((one) => Number.isFinite(one)));
    return Number.isFinite(least) ? Math.floor(least * part) : undefined;
  };
  const most = (name: string) => Number(files.read(`${directory}/${name}`) ?? NaN); // "max": no number
  return {
    memory: share([kibibytes * 1024, most("memory.max")], SHARE.memory),
    tasks: share([threads, Number(files.read("/proc/sys/kernel/pid_max") ?? NaN), most("pids.max")], SHARE.tasks),
  };
}

/** Groups of servers that were killed; one that still has a process stays. */
function removeLeftovers(directory: string, files: ControlFiles, directoriesIn: (path: string) => readonly string[]) {
  for (const pid of serversIn(directoriesIn(directory))) {
    if (files.read(`/proc/${pid}/stat`) !== undefined) continue;
    const group = `${directory}/ahma_mcp-${pid}`;
    for (const name of directoriesIn(group)) files.removeDirectory(`${group}/${name}`);
    files.removeDirectory(group);
  }
}
