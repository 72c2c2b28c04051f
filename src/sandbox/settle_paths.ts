/** A session's paths on Linux and macOS: scopes, credentials, `--write`, protected paths, directories, environment. */
import { signingLines, writeAgentFiles } from "./directories/agent_files.ts";
import { failure, type Outcome, success } from "../base/outcome.ts";
import { attempt } from "../base/errors.ts";
import { fingerprint } from "../base/fingerprint.ts";
import { expected, isWithin, realPath } from "../system/paths.ts";
import { type FileOpener, withFileOpener } from "../system/reading/file_opener.ts";
import { readTextIfRegular } from "../system/reading/regular_file.ts";
import { type PlaceQuestion, scopeCache, sessionBases } from "./directories/private_directories.ts";
import { useCache } from "./directories/scope_caches.ts";
import {
  createSessionCache,
  createSessionDirectories,
  type SessionDirectories,
} from "./directories/session_directory.ts";
import { buildEnvironment, isForbiddenVariable, privateHome } from "./grants/environment.ts";
import { gitHeaderLines, sanitiseGitConfiguration } from "./grants/git_configuration.ts";
import { writeCertificates } from "./directories/certificate_files.ts";
import { namedPath } from "./grants/grants.ts";
import { settleScopes } from "./grants/resolve_scopes.ts";
import { machineConfiguration, USER_CONFIGURATIONS } from "./grants/user_configuration.ts";
import type { PinnedDirectory } from "./policy/policy.ts";
import { sensitivePlaces, sensitiveProblem } from "./protect/credential_paths.ts";
import { type ProtectedPath, protectedPaths } from "./protect/protected_paths.ts";
import type { SandboxSettings } from "./policy/sandbox_settings.ts";
import type { GuardPlan } from "./protect/guard_view.ts";
import { freeLock } from "../system/replace/file_lock.ts";

/** How the system is asked. */
export interface PathSystem {
  identityOf(path: string): Pick<PinnedDirectory, "device" | "inode"> | undefined;
  /** Credentials that only this system has, relative to home; absent: none. */
  readonly moreCredentials?: readonly string[];
}

export interface SettledPaths {
  readonly scopes: readonly PinnedDirectory[];
  /** Canonical places of credentials that stay closed. */
  readonly sensitive: readonly string[];
  /** The scopes, and what `--write` names. */
  readonly opened: readonly PinnedDirectory[];
  /** Their paths. */
  readonly trees: readonly string[];
  readonly protect: readonly ProtectedPath[];
}

/** The server's own directories for a session. */
export interface OwnDirectories {
  readonly directories: SessionDirectories;
  /** For package managers: kept for the project, or where that cannot be, the session's. */
  readonly cache: string;
  /** Those that commands may write to. */
  readonly writable: readonly string[];
  /** A sentence for each that is not as it should be. */
  readonly warnings: readonly string[];
}

/** Checks and resolves what a person chose; makes nothing. The problem names the value. */
export function settlePaths(settings: SandboxSettings, system: PathSystem): Outcome<SettledPaths> {
  const { home } = settings;
  const forbidden = settings.environmentNames.find(isForbiddenVariable);
  if (forbidden !== undefined) {
    return failure(`Cannot pass "${forbidden}" to commands: it could change the behaviour of every program or shell`);
  }
  const scopes = settleScopes(settings, system);
  if (!scopes.ok) return scopes;
  const places = sensitivePlaces(settings, system.moreCredentials);
  if (!places.ok) return places;
  const { serverHome, store } = settings;
  // What lies next to them is granted by nothing.
  const sensitive = places.value.filter((place) =>
    ![serverHome, store].some((own) => own !== undefined && isWithin(own, place))
  );
  const problem = scopes.value.map(({ path }) => sensitiveProblem(path, sensitive))
    .find((found) => found !== undefined);
  if (problem !== undefined && settings.enforce) return failure(problem);
  const writes = pinWrites(settings, system, { scopes: scopes.value, sensitive });
  if (!writes.ok) return writes;
  const opened = [...scopes.value, ...writes.value];
  const trees = opened.map(({ path }) => path);
  const guarded = protectedPaths({ ...settings, trees, home: home === undefined ? undefined : realPath(home) });
  if (!guarded.ok) return guarded;
  return success({ scopes: scopes.value, sensitive, opened, trees, protect: guarded.value });
}

/** Asked by trying: access rights say little on read-only and network file systems. */
function sessionDirectories(place: PlaceQuestion, settings: SandboxSettings): SessionDirectories | undefined {
  for (const base of sessionBases(place)) {
    const made = expected(() => createSessionDirectories(base, settings));
    if (made !== undefined) return made;
  }
  return undefined;
}

/** Makes the private directories of a session. */
export function openDirectories(settings: SandboxSettings, { scopes, trees }: SettledPaths): Outcome<OwnDirectories> {
  const place = { ...settings, writable: trees };
  const directories = sessionDirectories(place, settings);
  if (directories === undefined) {
    return failure(
      "Cannot make a private directory for the session: TMPDIR, /tmp and /var/tmp are missing, not writable, or open " +
        "to commands by the scope or --write. Set TMPDIR to a directory outside them",
    );
  }
  const kept = scopeCache(place, scopeName(scopes));
  const use = kept === undefined ? failure(NO_PLACE) : useCache(kept, scopes[0]?.path ?? "");
  const cache = use.ok && kept !== undefined ? kept : createSessionCache(directories);
  // It follows no link: what a command left in its place leads commands alone.
  if (settings.privateHome) attempt(Error, () => Deno.mkdirSync(privateHome(cache), { mode: 0o700 }));
  const writable = [directories.temporary, cache].filter((path) => path !== undefined);
  return success({
    directories: { ...directories, ...use.ok && { cacheUse: use.value } },
    cache,
    writable,
    warnings: use.ok
      ? []
      : [`The project's cache is not used: ${use.problem}. Commands have a temporary one, which is removed at the end`],
  });
}

const NO_PLACE = "there is no directory for it that this user alone can write to, and no command; " +
  "set XDG_CACHE_HOME to one";

/** Removes them again, where the rest of the sandbox cannot be built. */
export function discardDirectories({ owner, cacheUse, root }: SessionDirectories): void {
  cacheUse?.[Symbol.dispose]();
  freeLock(owner);
  Deno.removeSync(root, { recursive: true });
}

/** The variables of every command; writes the configuration of git that one of them names. */
export function environmentOf(
  settings: SandboxSettings,
  { scopes }: SettledPaths,
  { directories, cache }: OwnDirectories,
): Readonly<Record<string, string>> {
  const write = copyWriter();
  const written = withFileOpener((opener) => ({
    gitConfiguration: writeGitConfiguration(settings, { directories, scopes, opener, write }),
    configuration: {
      ...machineConfiguration(settings.serverEnvironment["PATH"], realPath),
      ...writeUserConfiguration(settings, { directories, opener, write }),
      ...settings.secrets && {
        ...writeCertificates(directories.files, {
          authority: settings.secrets.authority,
          environment: settings.serverEnvironment,
          write,
        }),
        ...settings.secrets.variables,
      },
      ...settings.agent && writeAgentFiles(directories.files, settings.agent, write),
    },
  }));
  return buildEnvironment({
    ...settings,
    temporaryDirectory: directories.temporary,
    cacheDirectory: cache,
    ...written,
  });
}

/** The directory at this path now; undefined: nothing exists there. */
export function pinned(path: string, identityOf: PathSystem["identityOf"]): PinnedDirectory | undefined {
  const identity = identityOf(path);
  return identity === undefined ? undefined : { path, ...identity };
}

/** Names a scope's cache after its path and its owner: it is the same for a new clone, and another for another user's. */
export function scopeName(scopes: readonly PinnedDirectory[]): string {
  return scopes.slice(0, 1).map(({ path }) => {
    const { uid } = Deno.statSync(path);
    // Options of Java programs, which name the cache, are taken apart at spaces.
    const name = path.slice(path.lastIndexOf("/") + 1).slice(-60).replaceAll(/[^\w.-]/g, "_");
    return `${name}-${fingerprint(`${path}\0${uid ?? ""}`)}`;
  }).join("");
}

/** `--write` directories. */
function pinWrites(
  settings: SandboxSettings,
  system: PathSystem,
  { scopes, sensitive }: Pick<SettledPaths, "scopes" | "sensitive">,
): Outcome<readonly PinnedDirectory[]> {
  const writable = scopes.map(({ path }) => path);
  const directories: PinnedDirectory[] = [];
  for (const given of settings.writes) {
    const path = namedPath(given, { ...settings, writable, sensitive });
    if (!path.ok) return path;
    const isDirectory = Deno.statSync(path.value).isDirectory;
    const one = isDirectory ? pinned(path.value, (other) => system.identityOf(other)) : undefined;
    if (one === undefined) return failure(`Cannot allow writing to "${given}": it is not an existing directory`);
    directories.push(one);
  }
  return success(directories);
}

/** What copies of the user's configuration are made with. */
interface Copying {
  readonly directories: SessionDirectories;
  readonly opener: FileOpener;
  readonly write: (path: string, text: string) => void;
}

/** Writes private files. Empty ones are names of one file: another name costs a hundredth of another file on a busy disk. */
function copyWriter(): Copying["write"] {
  let empty: string | undefined;
  return (path, text) => {
    if (text === "" && empty !== undefined) return Deno.linkSync(empty, path);
    Deno.writeTextFileSync(path, text, { mode: 0o600 });
    if (text === "") empty = path;
  };
}

/** The variables that lead package managers to copies of their configuration. */
function writeUserConfiguration(
  { home }: SandboxSettings,
  { directories: { files }, opener, write }: Copying,
): Readonly<Record<string, string>> {
  const variables = USER_CONFIGURATIONS.map(({ places, name, variable, valueFor, clean }) => {
    const found = home === undefined
      ? []
      : places.map((place) => readTextIfRegular(`${home}/${place}`, LARGEST_CONFIGURATION_BYTES, opener));
    const copy = `${files}/${name}`;
    write(copy, clean(found.find((text) => text !== undefined) ?? ""));
    return [variable, valueFor(copy)] as const;
  });
  return Object.fromEntries(variables);
}

/** What is larger was not written by a person. */
const LARGEST_CONFIGURATION_BYTES = 4 * 1024 * 1024;

function writeGitConfiguration(
  settings: SandboxSettings,
  { directories, scopes, opener, write }: Copying & Pick<SettledPaths, "scopes">,
): string {
  const path = `${directories.files}/gitconfig`;
  const original = settings.home === undefined
    ? undefined
    : readTextIfRegular(`${settings.home}/.gitconfig`, LARGEST_CONFIGURATION_BYTES, opener);
  const clean = sanitiseGitConfiguration(original ?? "", scopes.map((scope) => scope.path));
  const copy = clean + gitHeaderLines(settings.secrets?.gitHeaders ?? {}) + signingLines(settings.agent ?? {});
  write(path, copy);
  return path;
}

/** The parts of every session, on any system. */
export interface SessionSandbox {
  readonly scopes: readonly PinnedDirectory[];
  /** Canonical places of credentials that stay closed. */
  readonly sensitive: readonly string[];
  /** What is protected and hidden by mounts; undefined: nothing, or not by mounts. */
  readonly guard: GuardPlan | undefined;
  /** What every command starts with (S9). */
  readonly environment: Readonly<Record<string, string>>;
  readonly directories: SessionDirectories;
  /** Canonical trees commands can write to: scopes, `--write`, temp, cache; empty: `--no-sandbox`. */
  readonly writable: readonly string[];
  /** One sentence for each protection this system lacks. */
  readonly missing: readonly string[];
  /** One sentence for each of its directories that is not as it should be. */
  readonly warnings: readonly string[];
}
