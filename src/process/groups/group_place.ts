/** Where control groups for commands may be made (cgroups(7), "cgroups version 2"). Pure. */

/** A mounted version 2 hierarchy, and the group of it that is shown there. */
interface GroupMount {
  readonly directory: string;
  readonly root: string;
}

/** The directory of this process's group, and of the topmost one that it can see. */
export interface OwnGroup {
  readonly directory: string;
  readonly top: string;
}

/** The group of a process, from its `/proc/self/mountinfo` and `/proc/self/cgroup`; undefined: none is within reach. */
export function ownGroup(mountinfo: string, cgroup: string): OwnGroup | undefined {
  const path = /^0::(\/.*)$/m.exec(cgroup)?.[1]?.replace(/ \(deleted\)$/, "");
  if (path === undefined || path.startsWith("/..")) return undefined;
  const mount = mountinfo.split("\n").flatMap(mountOf).find(({ root }) => isBelow(path, root));
  if (mount === undefined) return undefined;
  const below = mount.root === "/" ? path : path.slice(mount.root.length);
  return { directory: below === "/" || below === "" ? mount.directory : mount.directory + below, top: mount.directory };
}

/** Reads a line of mountinfo, if it is a writable hierarchy (proc_pid_mountinfo(5)). */
function mountOf(line: string): readonly GroupMount[] {
  const [before = "", after = ""] = line.split(" - ");
  const [, , , root = "", directory = "", options = ""] = before.split(" ");
  if (!after.startsWith("cgroup2 ") || !options.split(",").includes("rw")) return [];
  return [{ directory: unescaped(directory), root: unescaped(root) }];
}

/** Blanks and the like are written as octal numbers. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)));
}

function isBelow(path: string, root: string): boolean {
  return root === "/" || path === root || path.startsWith(`${root}/`);
}

/** The system calls that this needs. */
export interface GroupQuestion {
  readonly own: OwnGroup;
  readonly isRoot: boolean;
  /** This process. */
  readonly pid: number;
  /** The text of a file; undefined: it cannot be read. */
  read(path: string): string | undefined;
}

/** A directory in which groups may be made. */
export interface GroupPlace {
  readonly directory: string;
  /** The server is alone in it and goes to a group of its own first: a group with processes gives its own groups no controllers. */
  readonly leavesFirst: boolean;
}

/** Name of the group that a server moves itself to. */
export const SERVER_GROUP = "ahma_mcp-server";

/** Places to try, the best first. */
export function placesFor({ own: { directory, top }, isRoot, pid, read }: GroupQuestion): readonly GroupPlace[] {
  // The topmost group of the machine has no type.
  const isTopmost = (path: string) =>
    read(`${path}/cgroup.controllers`) !== undefined && read(`${path}/cgroup.type`) === undefined;
  if (directory.endsWith(`/${SERVER_GROUP}`)) {
    return [{ directory: directory.slice(0, -SERVER_GROUP.length - 1), leavesFirst: false }];
  }
  const isAlone = read(`${directory}/cgroup.procs`)?.trim() === String(pid);
  return [
    ...isRoot && isTopmost(top) ? [{ directory: top, leavesFirst: false }] : [],
    ...isAlone && !isTopmost(directory) ? [{ directory, leavesFirst: true }] : [],
  ];
}

/** The controllers that limit a command's tree, of those in a list of the kernel. */
export function usefulControllers(list: string | undefined): readonly GroupController[] {
  const listed = (list ?? "").trim().split(/\s+/);
  return CONTROLLERS.filter((one) => listed.includes(one));
}

const CONTROLLERS = ["memory", "pids"] as const;
export type GroupController = typeof CONTROLLERS[number];

/** The ids of servers whose groups are in a directory, by the names in it. */
export function serversIn(names: readonly string[]): readonly number[] {
  return names.flatMap((name) => /^ahma_mcp-(\d+)$/.exec(name)?.[1] ?? []).map(Number);
}
