/**
 * Builds a session's sandbox from its settings, once, before the first command: prerequisites, scopes, private
 * directories, readable paths, environment. What comes out is data; process/ turns it into running commands.
 */
import { failure, type Outcome, success } from "../base/outcome.ts";
import { type ConfinementChoice, confinementHere } from "./policy/confinement.ts";
import { buildEnvironment, isForbiddenVariable } from "./grants/environment.ts";
import { sanitiseGitConfiguration } from "./grants/git_configuration.ts";
import { findGit } from "./protect/git_program.ts";
import { type GuardPlan } from "./protect/path_guard.ts";
import { namedPath, readableGrants } from "./grants/grants.ts";
import { missingProtections, SHARED_MEMORY } from "./policy/landlock.ts";
import type { Processor } from "../system/syscalls.ts";
import { Libc } from "../system/libc.ts";
import { fingerprint } from "../base/fingerprint.ts";
import { readTextIfRegular } from "../system/regular_file.ts";
import { outerTrees } from "./policy/outer_trees.ts";
import { isWithin, parentOf, realPath } from "../system/paths.ts";
import type { PathGrant, PinnedDirectory, PrivateTemporary, SandboxPolicy } from "./policy/policy.ts";
import { privateTemporary } from "./directories/private_temporary.ts";
import { openedPaths, type ProtectedPath, protectedPaths } from "./protect/protected_paths.ts";
import { acceptableAbi, supportedProcessor } from "./policy/prerequisites.ts";
import { runtimeCacheProblem } from "./grants/runtime_cache.ts";
import { type ScopeChoice, settleScopes } from "./grants/resolve_scopes.ts";
import type { SessionSandbox } from "./session_sandbox.ts";
import { sensitivePlaces, sensitiveProblem } from "./protect/credential_paths.ts";
import { type Covers, createCovers, type SessionDirectories } from "./directories/session_directory.ts";
import { makeSessionPlaces } from "./directories/session_paths.ts";

/** What a person chose; everything comes from flags and the server's environment, read once. */
export interface SandboxSettings extends ScopeChoice {
  /** False: `--no-sandbox`. */
  readonly enforce: boolean;
  /** `--read` and `--write` directories or files, as given. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** `--protect` and `--allow-protected`, as given. */
  readonly protect: readonly string[];
  readonly allowProtected: readonly string[];
  /** Canonical paths of our own that commands may not change where they lie in a writable tree. */
  readonly own: readonly string[];
  /** `--allow-read-sensitive`, as given. */
  readonly allowSensitive: readonly string[];
  /** `--strict`: nothing below home is readable unless it is named. */
  readonly strict: boolean;
  /** `--env` names. */
  readonly environmentNames: readonly string[];
  readonly temporaryFiles: boolean;
  readonly requireAbi: number | undefined;
  readonly confinement: ConfinementChoice;
  /** Absolute path of the shell commands run in. */
  readonly shell: string;
  readonly serverEnvironment: Readonly<Record<string, string>>;
}

/** A session's sandbox. */
export interface Sandbox extends SessionSandbox {
  /** Undefined: `--no-sandbox`. Namespaces are settled by process/ when it first asks the kernel. */
  readonly policy: SandboxPolicy | undefined;
  readonly processor: Processor;
  readonly scopes: readonly PinnedDirectory[];
  /** What is protected and hidden in what commands can reach; undefined: `--no-sandbox`. */
  readonly guard: GuardPlan | undefined;
  /** Canonical places of credentials that stay closed. */
  readonly sensitive: readonly string[];
  /** An existing directory of ours that commands see and have no rights in, as far as there is one: for the self-test. */
  readonly trialPlace: string;
  /** Landlock's ABI; 0 with `--no-sandbox`. */
  readonly abi: number;
}

/** The sandbox, or why there can be none. Synchronous and quick: it stands before the first byte of MCP. */
export function prepareSandbox(settings: SandboxSettings): Outcome<Sandbox> {
  const processor = supportedProcessor(Deno.build.os, Deno.build.arch);
  if (!processor.ok) return processor;
  const forbidden = settings.environmentNames.find(isForbiddenVariable);
  if (forbidden !== undefined) {
    return failure(`Cannot pass "${forbidden}" to commands: it could change what every program or shell does`);
  }
  const libc = new Libc(processor.value);
  try {
    const abi = settings.enforce ? acceptableAbi(libc.landlockAbi(), settings.requireAbi) : success(0);
    if (!abi.ok) return abi;
    const scopes = settleScopes(settings, libc);
    if (!scopes.ok) return scopes;
    const sensitive = sensitivePlaces({
      environment: settings.serverEnvironment,
      home: settings.home,
      workingDirectory: settings.workingDirectory,
      allow: settings.allowSensitive,
    });
    if (!sensitive.ok) return sensitive;
    const problem = scopes.value.map(({ path }) => sensitiveProblem(path, sensitive.value))
      .find((found) => found !== undefined);
    if (problem !== undefined && settings.enforce) return failure(problem);
    const context = { settings, processor: processor.value, abi: abi.value, libc, sensitive: sensitive.value };
    return build(context, scopes.value);
  } finally {
    libc.close();
  }
}

/**
 * CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER: root over a tree of another user (a container with a mounted directory)
 * needs them to work on its files. What they reach is confined by Landlock and the read-only mounts like all else.
 */
const FILE_CAPABILITIES = [0, 1, 3] as const;

/** Only root has any to keep. */
function needsFileCapabilities(writable: readonly PinnedDirectory[]): boolean {
  return Deno.uid() === 0 && writable.some(({ path }) => Deno.statSync(path).uid !== 0);
}

interface Context {
  readonly settings: SandboxSettings;
  readonly processor: Processor;
  readonly abi: number;
  readonly libc: Libc;
  /** Canonical places that stay closed. */
  readonly sensitive: readonly string[];
}

function build(context: Context, scopes: readonly PinnedDirectory[]): Outcome<Sandbox> {
  const { settings, processor, abi, libc, sensitive } = context;
  const { serverEnvironment: environment, home, workingDirectory } = settings;
  const writes = pinWrites(context, scopes);
  if (!writes.ok) return writes;
  const opened = [...scopes, ...writes.value];
  const trees = opened.map(({ path }) => path);
  const protect = protectedIn(trees, settings);
  if (!protect.ok) return protect;
  const place = { environment, home, writable: trees };
  const cacheProblem = settings.enforce ? runtimeCacheProblem({ ...place, workingDirectory }) : undefined;
  if (cacheProblem !== undefined) return failure(cacheProblem);
  const places = makeSessionPlaces(place, {
    project: scopeName(scopes),
    temporaryFiles: settings.temporaryFiles,
  });
  if (!places.ok) return places;
  const { directories, cache, ours } = places.value;
  const writable = [...opened, ...ours.map((path) => pin(path, libc)).filter((one) => one !== undefined)];
  const grants = readableGrants({
    environment,
    home,
    workingDirectory,
    reads: [...settings.reads, ...settings.allowSensitive],
    strict: settings.strict,
    sensitive,
    files: directories.files,
    abi,
    writable: writable.map(({ path }) => path),
  });
  if (!grants.ok) {
    discard(directories);
    return grants;
  }
  const reachable = [...trees, ...grants.value.map(({ path }) => path)];
  const covers = createCovers(directories);
  const guard = {
    protected: protect.value,
    trees: opened,
    open: openedPaths({ trees, allow: settings.allowProtected }),
    hidden: sensitive.filter((secret) => reachable.some((tree) => isWithin(secret, tree)))
      .map((path) => ({ path, tree: widest(trees.filter((tree) => isWithin(path, tree))) })),
    home,
    git: findGit(environment, { home, writable: writable.map(({ path }) => path) }),
    covers,
  };
  return success({
    guard: settings.enforce ? guard : undefined,
    sensitive,
    policy: settings.enforce ? policyOf(context, { writable, grants: grants.value, directories, covers }) : undefined,
    processor,
    scopes,
    trialPlace: trialPlace(directories, cache),
    writable: settings.enforce ? writable.map(({ path }) => path) : [],
    directories,
    environment: buildEnvironment({
      server: environment,
      extra: settings.environmentNames,
      temporaryDirectory: directories.temporary,
      cacheDirectory: cache,
      gitConfiguration: writeGitConfiguration(settings, directories, scopes),
      shell: settings.shell,
    }),
    abi,
    missing: abi === 0 ? [] : missingProtections(abi),
  });
}

/** The one that holds the others; undefined: there is none. */
function widest(nested: readonly string[]): string | undefined {
  return nested.toSorted((one, other) => one.length - other.length)[0];
}

function discard({ owner, root }: SessionDirectories): void {
  owner.close();
  Deno.removeSync(root, { recursive: true });
}

function protectedIn(trees: readonly string[], settings: SandboxSettings): Outcome<readonly ProtectedPath[]> {
  const { protect, allowProtected: allow, own } = settings;
  const home = settings.home === undefined ? undefined : realPath(settings.home);
  return protectedPaths({ trees, home, protect, allow, own });
}

interface Reach {
  readonly writable: readonly PinnedDirectory[];
  readonly grants: readonly PathGrant[];
  readonly directories: SessionDirectories;
  readonly covers: Covers;
}

function policyOf(context: Context, reach: Reach): SandboxPolicy {
  const { settings, abi, libc } = context;
  const sharedMemory = libc.lookAt("/dev/shm")?.kind === "directory";
  const memory = { path: "/dev/shm", kind: "directory", rights: SHARED_MEMORY } as const;
  const writable = outerTrees(reach.writable);
  const temporary = temporaryOf(context, { ...reach, writable });
  return {
    writable,
    grants: sharedMemory ? [...reach.grants, memory] : reach.grants,
    ...temporary !== undefined && { temporary },
    sharedMemory,
    abi,
    namespaces: true,
    confinement: confinementHere(settings.confinement, libc),
    keptCapabilities: needsFileCapabilities(writable) ? FILE_CAPABILITIES : [],
    user: { uid: Deno.uid() ?? 0, gid: Deno.gid() ?? 0 },
  };
}

function temporaryOf({ libc }: Context, { directories, ...reach }: Reach): PrivateTemporary | undefined {
  const tree = reach.writable.find(({ path }) => path === directories.temporary);
  if (tree === undefined) return undefined;
  return privateTemporary({ ...reach, tree, root: directories.root, identityOf: (path) => libc.identityOf(path) });
}

/** What lies in /tmp is hidden from commands, so that it would prove nothing about the other layers. */
function trialPlace({ root }: SessionDirectories, cache: string): string {
  return isWithin(cache, root) ? root : parentOf(parentOf(cache));
}

/**
 * Names a scope's cache after its path and what does not come again when another directory takes its place: inode and
 * time of birth. (Device numbers change with every mount on some file systems.)
 */
export function scopeName(scopes: readonly PinnedDirectory[]): string {
  return scopes.slice(0, 1).map(({ path, inode }) => {
    const born = Deno.statSync(path).birthtime?.getTime() ?? 0;
    return `${path.slice(path.lastIndexOf("/") + 1).slice(-60)}-${fingerprint(`${path}\0${inode}\0${born}`)}`;
  }).join("");
}

/** What is larger was not written by a person. */
const LARGEST_CONFIGURATION_BYTES = 4 * 1024 * 1024;

export function writeGitConfiguration(
  settings: SandboxSettings,
  directories: SessionDirectories,
  scopes: readonly PinnedDirectory[],
): string {
  const path = `${directories.files}/gitconfig`;
  const original = settings.home === undefined
    ? undefined
    : readTextIfRegular(`${settings.home}/.gitconfig`, LARGEST_CONFIGURATION_BYTES);
  const copy = sanitiseGitConfiguration(original ?? "", scopes.map((scope) => scope.path));
  Deno.writeTextFileSync(path, copy, { mode: 0o600 });
  return path;
}

/** `--write` directories. */
function pinWrites(
  { settings, libc, sensitive }: Context,
  scopes: readonly PinnedDirectory[],
): Outcome<readonly PinnedDirectory[]> {
  const writable = scopes.map(({ path }) => path);
  const pinned: PinnedDirectory[] = [];
  for (const given of settings.writes) {
    const path = namedPath(given, { ...settings, writable, sensitive });
    if (!path.ok) return path;
    const one = Deno.statSync(path.value).isDirectory ? pin(path.value, libc) : undefined;
    if (one === undefined) return failure(`Cannot allow writing to "${given}": it is not an existing directory`);
    pinned.push(one);
  }
  return success(pinned);
}

function pin(path: string, libc: Libc): PinnedDirectory | undefined {
  const identity = libc.identityOf(path);
  return identity === undefined ? undefined : { path, ...identity };
}
