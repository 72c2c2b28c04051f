/** Builds a session's sandbox as data from its settings, once. process/ turns it into running commands. */
import type { PinnedSubject } from "../base/command/grant_subject.ts";
import { failure, type Outcome, success } from "../base/outcome.ts";
import { withAllowed } from "./allowed_paths.ts";
import { copyCargoConfiguration } from "./grants/cargo_configuration.ts";
import { lazy } from "../base/lazy.ts";
import { boundsMemory, type Confinement, confinementHere, withoutPrivateSockets } from "./policy/confinement.ts";
import { acceptedFile } from "./git_config/accepted_lines.ts";
import { storeLinks } from "./git_config/set_aside_places.ts";
import { findGit } from "./protect/git_program.ts";
import type { GuardPlan } from "./protect/guard_view.ts";
import { gpuPaths, withGpuRights } from "./grants/gpu.ts";
import { readableGrants } from "./grants/grants.ts";
import { FS, grantable, missingProtections, SCOPES_ABI, SHARED_MEMORY, WRITABLE_DEVICE } from "./policy/landlock.ts";
import type { Processor } from "../system/syscalls.ts";
import { Libc, withLibc } from "../system/libc.ts";
import { TreeMaker } from "../system/open_files/tree_maker.ts";
import {
  outerTrees,
  type OwnRoot,
  type PathGrant,
  type PinnedDirectory,
  type PrivateTemporary,
  type SandboxPolicy,
} from "./policy/policy.ts";
import {
  absolutePath,
  isWithin,
  linksSeenBy,
  memoizedLinks,
  parentOf,
  placeOf,
  realPath,
  trustedPath,
} from "../system/paths.ts";
import { certificatesInstead } from "./directories/certificate_files.ts";
import { agentSocket } from "./directories/agent_files.ts";
import { makeNetworkFiles } from "./directories/network_files.ts";
import { SessionPoints } from "./directories/place_in_memory.ts";
import { ownRoot } from "./directories/own_root.ts";
import { TERMINALS, type WantedPath } from "./grants/system_paths.ts";
import { privateTemporary, type TemporaryQuestion } from "./directories/private_temporary.ts";
import { openedPaths } from "./protect/protected_paths.ts";
import { acceptableAbi, inheritedProblem, nullDeviceProblem, supportedProcessor } from "./policy/prerequisites.ts";
import { runtimeCacheProblem } from "./grants/runtime_cache.ts";
import type { SandboxSettings } from "./policy/sandbox_settings.ts";
import {
  discardDirectories,
  environmentOf,
  openDirectories,
  type OwnDirectories,
  pinned,
  type SessionSandbox,
  type SettledPaths,
  settlePaths,
} from "./settle_paths.ts";
import { coversIn, makeCovers, type SessionDirectories } from "./directories/session_directory.ts";

/** A session's sandbox. */
export interface Sandbox extends SessionSandbox {
  /**
   * Undefined: `--no-sandbox`. Namespaces are settled by process/ when it first asks the kernel. Mount points are made
   * when it is first asked for, after the first answer: a hundred of them take longer than all else.
   */
  readonly policy: SandboxPolicy | undefined;
  /** The session's temp directory; undefined: it has none, or no sandbox. */
  readonly temporary: PinnedDirectory | undefined;
  readonly processor: Processor;
  /** The record of accepted repositories; undefined: it has no place, or commands can write there. */
  readonly accepted: string | undefined;
  /** A directory of this program that commands see but have no rights in, if there is one: for the self-test. */
  readonly trialPlace: string;
  /** Landlock's ABI; 0 with `--no-sandbox`. */
  readonly abi: number;
  /**
   * The same session's sandbox with what a person allowed in addition to what it was started with, in the same
   * directories; empty: nothing. The problem says why that cannot be.
   */
  allowing(allowed: readonly PinnedSubject[]): Outcome<Sandbox>;
}

/** The sandbox, or why it is impossible. Synchronous and quick, because it runs before the first byte of MCP. */
export function prepareSandbox(settings: SandboxSettings): Outcome<Sandbox> {
  const processor = supportedProcessor(Deno.build.os, Deno.build.arch);
  if (!processor.ok) return processor;
  return withLibc((libc) => prepared(settings, processor.value, libc));
}

function prepared(settings: SandboxSettings, processor: Processor, libc: Libc): Outcome<Sandbox> {
  const unfit = nullDeviceProblem() ?? (settings.enforce ? inheritedProblem(libc) : undefined);
  if (unfit !== undefined) return failure(unfit);
  const abi = settings.enforce ? acceptableAbi(libc.landlockAbi(), settings.requireAbi) : success(0);
  if (!abi.ok) return abi;
  const settled = settlePaths(settings, { identityOf: (path) => libc.identityOf(path) });
  if (!settled.ok) return settled;
  const problem = settings.enforce ? runtimeCacheProblem(settings, settled.value.trees) : undefined;
  if (problem !== undefined) return failure(problem);
  const gpus = gpuPaths(settings.enforce ? settings.gpus : [], libc);
  if (!gpus.ok) return gpus;
  const own = openDirectories(settings, settled.value);
  if (!own.ok) return own;
  const points = new SessionPoints(own.value.directories.root);
  return build({
    settings,
    processor,
    abi: abi.value,
    libc,
    settled: settled.value,
    own: own.value,
    points,
    gpus: gpus.value,
  });
}

/**
 * CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER: root over a tree of another user (a container with a mounted directory)
 * needs them to work on its files. Landlock and the read-only mounts still confine what they reach.
 */
const FILE_CAPABILITIES = [0, 1, 3] as const;

/** Only root has capabilities to keep. */
function needsFileCapabilities(writable: readonly PinnedDirectory[]): boolean {
  return Deno.uid() === 0 && writable.some(({ path }) => Deno.statSync(path).uid !== 0);
}

interface Context {
  readonly settings: SandboxSettings;
  readonly processor: Processor;
  readonly abi: number;
  readonly libc: Libc;
  readonly settled: SettledPaths;
  readonly own: OwnDirectories;
  readonly points: SessionPoints;
  readonly gpus: readonly WantedPath[];
  /** The policy of the session's first sandbox; undefined: it is being made. */
  readonly first?: SandboxPolicy;
}

function build(context: Context): Outcome<Sandbox> {
  const { settings, processor, abi, libc, settled, own } = context;
  const { directories, cache } = own;
  const ours = own.writable.map((path) => pinned(path, (one) => libc.identityOf(one)));
  const writable = [...settled.opened, ...ours.filter((one) => one !== undefined)];
  const kept = ours.find((one) => one?.path === cache);
  if (kept !== undefined) copyCargoConfiguration({ home: settings.home, cache: kept });
  const links = new Map<string, string | undefined>();
  const targetOf = memoizedLinks(links, linksSeenBy((path) => libc.lookAt(path)));
  const grants = readableGrants({
    ...settings,
    targetOf,
    reads: [...settings.reads, ...settings.allowSensitive],
    others: context.gpus,
    sensitive: settled.sensitive,
    files: directories.files,
    abi,
    writable: writable.map(({ path }) => path),
  });
  if (!grants.ok) {
    discardDirectories(directories);
    return grants;
  }
  for (const path of spelledPaths(settings)) trustedPath(path, [], targetOf);
  const reach = { writable, grants: grants.value, directories, covers: coversIn(directories), links };
  const policy = lazy(() => withLibc((own) => withMaker({ ...context, libc: own }, reach)));
  const sandbox: Sandbox = {
    guard: settings.enforce ? guardOf(context, reach) : undefined,
    sensitive: settled.sensitive,
    get policy() {
      return settings.enforce ? policy() : undefined;
    },
    temporary: settings.enforce ? ours.find((one) => one?.path === directories.temporary) : undefined,
    accepted: acceptedOf(settings, writable),
    processor,
    scopes: settled.scopes,
    trialPlace: trialPlace(directories, cache),
    writable: settings.enforce ? writable.map(({ path }) => path) : [],
    directories,
    environment: environmentOf(settings, settled, own),
    abi,
    missing: abi === 0 ? [] : missingProtections(abi),
    warnings: own.warnings,
    allowing: (allowed) => withLibc((own) => allowing(sandbox, { ...context, libc: own }, reach, allowed)),
  };
  return success(sandbox);
}

/** `first`: the session's; `context` and `reach`: what it was made of. */
function allowing(
  first: Sandbox,
  context: Context,
  reach: Omit<Reach, "make" | "root">,
  allowed: readonly PinnedSubject[],
): Outcome<Sandbox> {
  const { guard, policy } = first;
  if (guard === undefined || policy === undefined || allowed.length === 0) return success(first);
  const more = withAllowed({ ...context, system: context.libc }, allowed);
  if (!more.ok) return more;
  const { settings, settled, reads } = more.value;
  const within: Context = { ...context, settings, settled, first: policy };
  const wider = {
    ...reach,
    writable: [...settled.opened, ...reach.writable.filter(({ path }) => !settled.trees.includes(path))],
    grants: [...reach.grants, ...reads],
    links: new Map(reach.links),
  };
  const widened: Sandbox = {
    ...first,
    guard: guardOf(within, wider),
    policy: withMaker(within, wider),
    accepted: acceptedOf(settings, wider.writable),
    writable: wider.writable.map(({ path }) => path),
  };
  const problem = widenedProblem(first, widened);
  return problem === undefined ? success(widened) : failure(problem);
}

/** Why a sandbox with more paths would be weaker than the first; undefined: it is not. */
function widenedProblem(first: Sandbox, { guard, policy, accepted }: Sandbox): string | undefined {
  if (guard?.git?.program !== first.guard?.git?.program || accepted !== first.accepted) {
    return "Commands could then change git, or what you accepted of repositories";
  }
  const isWhole = (policy?.root === undefined) === (first.policy?.root === undefined) &&
    (policy?.temporary === undefined) === (first.policy?.temporary === undefined);
  return isWhole ? undefined : "Commands have something of their own in its place in /tmp, or the disk is full";
}

function guardOf(
  { settings, settled }: Context,
  { writable, grants, covers }: Pick<Reach, "writable" | "grants" | "covers">,
): GuardPlan {
  const { trees, opened, sensitive, protect } = settled;
  const { home, serverEnvironment: environment } = settings;
  const reachable = [...trees, ...grants.map(({ path }) => path)];
  return {
    protected: protect,
    trees: opened,
    open: openedPaths({ ...settings, trees }),
    hidden: sensitive.filter((secret) => reachable.some((tree) => isWithin(secret, tree)))
      .map((path) => ({ path, tree: widest(trees.filter((tree) => isWithin(path, tree))) })),
    home,
    git: findGit(environment, { home, writable: writable.map(({ path }) => path) }),
    covers,
  };
}

/** The one that holds the others; undefined: there is none. */
function widest(nested: readonly string[]): string | undefined {
  return nested.toSorted((one, other) => one.length - other.length)[0];
}

interface Reach extends Pick<TemporaryQuestion, "writable" | "grants" | "covers" | "make" | "root"> {
  readonly directories: SessionDirectories;
  /** By path: where the link there leads; empty or undefined where there is none. */
  readonly links: Map<string, string | undefined>;
}

/** With links unresolved, as people and programs write them: links lead to the same places inside. */
function spelledPaths({ scopes, reads, writes, home, workingDirectory, shell }: SandboxSettings): readonly string[] {
  const named = [...scopes, ...reads, ...writes].map((path) => absolutePath(path, workingDirectory));
  return [...named, workingDirectory, shell, "/tmp", "/var/tmp", ...home === undefined ? [] : [home]];
}

function withMaker(context: Context, reach: Omit<Reach, "make" | "root">): SandboxPolicy {
  using make = new TreeMaker();
  if (context.first === undefined) makeCovers(reach.covers, make);
  const root = context.points.next({ ...reach, libc: context.libc, make });
  return policyOf(context, { ...reach, make, root });
}

function policyOf(context: Context, reach: Reach): SandboxPolicy {
  const { settings, abi, libc } = context;
  const sharedMemory = libc.lookAt("/dev/shm")?.kind === "directory";
  const memory = { path: "/dev/shm", kind: "directory", rights: SHARED_MEMORY } as const;
  const writable = outerTrees(reach.writable);
  const temporary = temporaryOf(context, { ...reach, writable });
  // If all sockets of the machine are open, every path must be visible.
  const isOpen = settings.confinement.unixSockets === "allow";
  const confinement = confinementHere(settings.confinement, libc);
  const { directories } = reach;
  const certificates = settings.secrets === undefined ? [] : certificatesInstead(directories.files);
  const own = isOpen ? undefined : rootOf(context, { ...reach, writable }, temporary);
  const instead = () => [...makeNetworkFiles(`${directories.root}/network`), ...certificates];
  const root = own && confinement.network === "names"
    ? { ...own, instead: context.first?.root?.instead ?? instead() }
    : own;
  const terminals = root === undefined ? [] : terminalGrants(abi);
  const user = { uid: Deno.uid() ?? 0, gid: Deno.gid() ?? 0 };
  return {
    writable,
    grants: [
      ...withGpuRights(reach.grants, { abi, user }).map((grant) => bounded(grant, confinement)),
      ...sharedMemory ? [memory] : [],
      ...terminals,
      ...agentGrants(context, directories),
    ],
    ...temporary !== undefined && { temporary },
    ...root !== undefined && { root, terminals: true },
    sharedMemory,
    abi,
    namespaces: true,
    confinement: root === undefined || abi < SCOPES_ABI ? withoutPrivateSockets(confinement) : confinement,
    keptCapabilities: needsFileCapabilities(writable) ? FILE_CAPABILITIES : [],
    user,
  };
}

function temporaryOf({ libc, points }: Context, { directories, ...reach }: Reach): PrivateTemporary | undefined {
  const tree = reach.writable.find(({ path }) => path === directories.temporary);
  if (tree === undefined) return undefined;
  return privateTemporary({ ...reach, tree, points, identityOf: (path) => libc.identityOf(path) });
}

function rootOf(
  { libc, settings, settled }: Context,
  { directories: _, links, ...reach }: Reach,
  temporary: PrivateTemporary | undefined,
): OwnRoot | undefined {
  const seen = [settings.home, ...settings.seen ?? []].map((path) => path === undefined ? undefined : realPath(path));
  const targetOf = memoizedLinks(links, linksSeenBy((path) => libc.lookAt(path)));
  return ownRoot({
    ...reach,
    ...temporary !== undefined && { temporary },
    seen: seen.filter((path) => path !== undefined),
    links: [
      ...[...links].flatMap(([path, target = ""]) => {
        const leadsTo = target === "" ? undefined : trustedPath(path, [], targetOf);
        return leadsTo === undefined ? [] : [{ path, target, leadsTo }];
      }),
      ...storeLinks(settled.opened.map(({ path }) => path)).entries().map(([path, target]) => ({
        path,
        target,
        leadsTo: target,
      })),
    ],
    identityOf: (path) => libc.identityOf(path),
  });
}

function acceptedOf({ serverEnvironment }: SandboxSettings, writable: readonly PinnedDirectory[]): string | undefined {
  const file = acceptedFile(serverEnvironment);
  return file === undefined || writable.some(({ path }) => isWithin(placeOf(file), path)) ? undefined : file;
}

/** Shared writable mappings of /dev/zero are memory that no limit counts. */
function bounded(grant: PathGrant, confinement: Confinement): PathGrant {
  return grant.path === "/dev/zero" && boundsMemory(confinement) ? { ...grant, rights: FS.readFile } : grant;
}

/** Rights on the command's private pseudo-terminals. */
function terminalGrants(abi: number): readonly PathGrant[] {
  const [all, own] = TERMINALS;
  const rights = WRITABLE_DEVICE | FS.readDir;
  return [
    { path: all, kind: "directory", rights: grantable(rights, abi, "directory") },
    { path: own, kind: "file", rights: grantable(rights, abi, "file") },
  ];
}

/** Since Landlock denies connections by path, that to the ssh agent of commands needs a right. */
function agentGrants({ settings, abi }: Context, { files }: SessionDirectories): readonly PathGrant[] {
  if (settings.agent === undefined || abi < UNIX_SOCKETS_ABI) return [];
  return [{ path: agentSocket(files), kind: "file", rights: grantable(FS.resolveUnix, abi, "file") }];
}

const UNIX_SOCKETS_ABI = 9;

/** Files in /tmp are hidden from commands, so they would prove nothing about the other layers. */
function trialPlace({ root }: SessionDirectories, cache: string): string {
  return isWithin(cache, root) ? root : parentOf(parentOf(cache));
}
