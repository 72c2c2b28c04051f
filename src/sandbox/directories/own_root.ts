/**
 * The root that commands see (S5, S8), with namespaces: a directory of the server's with a mount point for each granted
 * tree, and links. It lies outside their trees and is mounted read-only.
 */
import { attempt } from "../../base/errors.ts";
import { isWithin } from "../../system/paths.ts";
import type { TreeMaker } from "../../system/open_files/tree_maker.ts";
import type { OwnRoot, PathGrant, PinnedDirectory, SandboxPolicy } from "../policy/policy.ts";
import type { Covers } from "./session_directory.ts";
import { TreePoints } from "./tree_points.ts";

/** Devices that commands see, if the machine has them. */
const DEVICES = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"] as const;
/** Usual links of Linux systems; the first leads to the command's private pseudo-terminals. */
const DEVICE_LINKS = {
  "/dev/ptmx": "pts/ptmx",
  "/dev/fd": "/proc/self/fd",
  "/dev/stdin": "/proc/self/fd/0",
  "/dev/stdout": "/proc/self/fd/1",
  "/dev/stderr": "/proc/self/fd/2",
} as const;
/** Each sandbox mounts its own. */
const OWN_MOUNTS = ["/proc", "/dev/pts", "/dev/shm"] as const;

export interface RootQuestion extends Pick<SandboxPolicy, "writable" | "grants" | "temporary"> {
  /** A directory of the session's that commands cannot write to, where further ones can be made. */
  readonly root: string;
  readonly make: TreeMaker;
  readonly covers: Covers;
  /** Canonical directories that exist for commands even if empty, such as the home. */
  readonly seen: readonly string[];
  readonly links: readonly FoundLink[];
  readonly identityOf: (path: string) => Pick<PinnedDirectory, "device" | "inode"> | undefined;
}

/** A link on the way to something. */
export interface FoundLink {
  /** Canonical but for the last name. */
  readonly path: string;
  readonly target: string;
  /** Canonical. */
  readonly leadsTo: string;
}

/** The root; undefined: a grant opens the whole machine, or it cannot be made. */
export function ownRoot(question: RootQuestion): OwnRoot | undefined {
  const shown = shownIn(question);
  if (shown.some(({ path }) => path === "/")) return undefined;
  // It fails if the disk is full.
  return attempt(Error, () => made(shown, question));
}

type Shown = Pick<PathGrant, "path" | "kind">;

/** What needs a mount point: nested trees come with the outer one, and those in /tmp are shown there. */
function shownIn({ writable, grants, temporary }: RootQuestion): readonly Shown[] {
  const trees = writable.map(({ path }) => ({ path, kind: "directory" as const }));
  const ofKernel: ReadonlySet<string> = new Set([...OWN_MOUNTS, ...DEVICES]);
  const all: readonly Shown[] = [...trees, ...grants.filter(({ path }) => !ofKernel.has(path))];
  const places = temporary?.places ?? [];
  return all.filter(({ path }, index) =>
    !places.some((place) => isWithin(path, place)) &&
    !all.some((one, at) => at !== index && holds(one, path) && (one.path !== path || at < index))
  );
}

function holds({ path: outer, kind }: Shown, path: string): boolean {
  return kind === "directory" ? isWithin(path, outer) : path === outer;
}

function made(shown: readonly Shown[], question: RootQuestion): OwnRoot | undefined {
  const { root, make, covers, temporary, seen, links, identityOf } = question;
  const tree = `${root}/root`;
  make.directory(tree);
  const maker = new TreePoints(make, [tree]);
  const inTree = (path: string) => path === "/" ? tree : `${tree}${path}`;
  const add = (path: string, kind: Shown["kind"]) => maker.add(inTree(path), kind);
  for (const { path, kind } of shown) add(path, kind);
  const usual = ["/tmp", "/var/tmp"].filter((path) => !links.some((one) => one.path === path));
  for (const path of [...OWN_MOUNTS, ...usual, ...temporary?.places ?? []]) add(path, "directory");
  for (const path of DEVICES) add(path, "file");
  const isMounted = (path: string) =>
    shown.some((one) => holds(one, path)) || temporary?.places.some((place) => isWithin(path, place)) === true;
  if (!isMounted(covers.directory)) add(covers.directory, "directory");
  if (!isMounted(covers.file)) add(covers.file, "file");
  for (const path of seen) if (!isMounted(path)) add(path, "directory");
  const leading = links.filter(({ leadsTo }) => isMounted(leadsTo) || maker.hasDirectory(inTree(leadsTo)));
  for (const { path, target } of leading) if (!isMounted(path)) maker.link(inTree(path), target);
  for (const [path, target] of Object.entries(DEVICE_LINKS)) maker.link(inTree(path), target);
  const pin = (path: string, at: string) => ({ path, ...identityOf(at) ?? MISSING });
  const points = question.writable.filter(({ path }) => shown.some((one) => one.path === path))
    .map(({ path }) => pin(path, `${tree}${path}`));
  const paths = shown.map(({ path }) => path).filter((path) => !question.writable.some((one) => one.path === path));
  const isDevice = (path: string) => isWithin(path, "/dev");
  return {
    tree: pin(tree, tree),
    trees: paths.filter((path) => !isDevice(path)),
    devices: [...DEVICES, ...paths.filter(isDevice)],
    points,
  };
}

/** The identity of no file: a launch that compares it ends. */
const MISSING = { device: -1n, inode: -1n };
