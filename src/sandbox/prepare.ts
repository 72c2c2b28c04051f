/**
 * Builds a session's sandbox from its settings, once, before the first command: prerequisites, scopes, private
 * directories, readable paths, environment. What comes out is data; process/ turns it into running commands.
 */
import { failure, type Outcome, success } from "../base/outcome.ts";
import { type ConfinementChoice, confinementHere } from "./confinement.ts";
import { buildEnvironment, isForbiddenVariable } from "./environment.ts";
import { sanitiseGitConfiguration } from "./git_configuration.ts";
import { namedPath, readableGrants } from "./grants.ts";
import { missingProtections } from "./landlock.ts";
import type { Processor } from "./launcher/syscalls.ts";
import { Libc } from "./libc.ts";
import { fingerprint } from "../base/fingerprint.ts";
import { expected } from "./paths.ts";
import { scopeCache, sessionBase } from "./places.ts";
import type { PinnedDirectory, SandboxPolicy } from "./policy.ts";
import { acceptableAbi, supportedProcessor } from "./prerequisites.ts";
import { type ScopeChoice, settleScopes } from "./scope.ts";
import { createSessionCache, createSessionDirectories, type SessionDirectories } from "./session_directory.ts";

/** What a person chose; everything comes from flags and the server's environment, read once. */
export interface SandboxSettings extends ScopeChoice {
  /** False: `--no-sandbox`. */
  readonly enforce: boolean;
  /** `--read` and `--write` directories or files, as given. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
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
export interface Sandbox {
  /** Undefined: `--no-sandbox`. Namespaces are settled by process/ when it first asks the kernel. */
  readonly policy: SandboxPolicy | undefined;
  readonly processor: Processor;
  readonly scopes: readonly PinnedDirectory[];
  readonly environment: Readonly<Record<string, string>>;
  readonly directories: SessionDirectories;
  /** Landlock's ABI; 0 with `--no-sandbox`. */
  readonly abi: number;
  /** One sentence for each protection this kernel lacks. */
  readonly missing: readonly string[];
}

/** The sandbox, or why there can be none. Synchronous and quick: it stands before the first byte of MCP. */
export function prepareSandbox(settings: SandboxSettings): Outcome<Sandbox> {
  const processor = supportedProcessor(Deno.build.os, Deno.build.arch);
  if (!processor.ok) return processor;
  const forbidden = settings.environmentNames.find(isForbiddenVariable);
  if (forbidden !== undefined) {
    return failure(`Cannot pass "${forbidden}" to commands: it could change what every program or shell does`);
  }
  const libc = Libc.open(processor.value);
  try {
    const abi = settings.enforce ? acceptableAbi(libc.landlockAbi(), settings.requireAbi) : success(0);
    if (!abi.ok) return abi;
    const scopes = settleScopes(settings, libc);
    if (!scopes.ok) return scopes;
    return build({ settings, processor: processor.value, abi: abi.value, libc }, scopes.value);
  } finally {
    libc.close();
  }
}

/**
 * CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER: root over a project of another user (a container with a mounted directory)
 * needs them to work on its files. What they reach is confined by Landlock and the read-only mounts like all else.
 */
const FILE_CAPABILITIES = [0, 1, 3] as const;

/** Only root has any to keep. */
function needsFileCapabilities(scopes: readonly PinnedDirectory[]): boolean {
  return Deno.uid() === 0 && scopes.some(({ path }) => Deno.statSync(path).uid !== 0);
}

interface Context {
  readonly settings: SandboxSettings;
  readonly processor: Processor;
  readonly abi: number;
  readonly libc: Libc;
}

function build({ settings, processor, abi, libc }: Context, scopes: readonly PinnedDirectory[]): Outcome<Sandbox> {
  const { serverEnvironment: environment, home, workingDirectory } = settings;
  const writes = pinWrites({ settings, processor, abi, libc }, scopes);
  if (!writes.ok) return writes;
  const opened = [...scopes, ...writes.value];
  const place = { environment, home, writable: opened.map(({ path }) => path) };
  const base = sessionBase(place);
  if (base === undefined) {
    return failure(
      "Cannot make a private directory for the session: TMPDIR, /tmp and /var/tmp are missing, not writable, or open " +
        "to commands by the scope or --write. Set TMPDIR to a directory outside them",
    );
  }
  const directories = createSessionDirectories(base, { temporaryFiles: settings.temporaryFiles });
  const cache = scopeCache(place, scopeName(scopes)) ?? createSessionCache(directories);
  const ours = [directories.temporary, cache].filter((path) => path !== undefined);
  const writable = [...opened, ...ours.map((path) => pin(path, libc)).filter((one) => one !== undefined)];
  const grants = readableGrants({
    environment,
    home,
    workingDirectory,
    reads: settings.reads,
    files: directories.files,
    abi,
    writable: writable.map(({ path }) => path),
  });
  if (!grants.ok) {
    directories.owner.close();
    Deno.removeSync(directories.root, { recursive: true });
    return grants;
  }
  const policy = {
    writable,
    grants: grants.value,
    abi,
    namespaces: true,
    confinement: confinementHere(settings.confinement, libc),
    keptCapabilities: needsFileCapabilities(scopes) ? FILE_CAPABILITIES : [],
    user: { uid: Deno.uid() ?? 0, gid: Deno.gid() ?? 0 },
  };
  return success({
    policy: settings.enforce ? policy : undefined,
    processor,
    scopes,
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

/**
 * Names a scope's cache after its path and what does not come again when another directory takes its place: inode and
 * time of birth. (Device numbers change with every mount on some file systems.)
 */
function scopeName(scopes: readonly PinnedDirectory[]): string {
  return scopes.slice(0, 1).map(({ path, inode }) => {
    const born = Deno.statSync(path).birthtime?.getTime() ?? 0;
    return `${path.slice(path.lastIndexOf("/") + 1).slice(-60)}-${fingerprint(`${path}\0${inode}\0${born}`)}`;
  }).join("");
}

function writeGitConfiguration(
  settings: SandboxSettings,
  directories: SessionDirectories,
  scopes: readonly PinnedDirectory[],
): string {
  const path = `${directories.files}/gitconfig`;
  const original = settings.home === undefined
    ? undefined
    : expected(() => Deno.readTextFileSync(`${settings.home}/.gitconfig`));
  const copy = sanitiseGitConfiguration(original ?? "", scopes.map((scope) => scope.path));
  Deno.writeTextFileSync(path, copy, { mode: 0o600 });
  return path;
}

/** `--write` directories. */
function pinWrites(
  { settings, libc }: Context,
  scopes: readonly PinnedDirectory[],
): Outcome<readonly PinnedDirectory[]> {
  const writable = scopes.map(({ path }) => path);
  const pinned: PinnedDirectory[] = [];
  for (const given of settings.writes) {
    const path = namedPath(given, { ...settings, writable });
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
