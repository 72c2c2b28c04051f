/**
 * Builds a session's sandbox on macOS, as prepare_linux.ts does on Linux: scopes, private directories, environment, and the
 * profile in a file that commands cannot write to. Nothing here asks the kernel: process/ tries the profile.
 */
import { failure, type Outcome, success } from "../base/outcome.ts";
import { buildEnvironment, isForbiddenVariable } from "./grants/environment.ts";
import { namedPath } from "./grants/grants.ts";
import { expected, realPath } from "../system/paths.ts";
import type { Platform } from "./policy/platform.ts";
import type { PinnedDirectory } from "./policy/policy.ts";
import { type SandboxSettings, scopeName, writeGitConfiguration } from "./prepare_linux.ts";
import { protectedPaths, withTargets } from "./protect/protected_paths.ts";
import { settleScopes } from "./grants/resolve_scopes.ts";
import { closedPlaces, SENSITIVE_ON_MACOS } from "./seatbelt/denied_paths.ts";
import { type SeatbeltProfile, seatbeltProfile } from "./seatbelt/profile.ts";
import { missingSandboxExec, type SeatbeltConfinement } from "./seatbelt/sandbox_exec.ts";
import { sensitivePlaces, sensitiveProblem } from "./protect/credential_paths.ts";
import type { SessionSandbox } from "./session_sandbox.ts";
import type { SessionDirectories } from "./directories/session_directory.ts";
import { makeSessionPlaces } from "./directories/session_paths.ts";

/** A session's sandbox on macOS. */
export interface SeatbeltSandbox extends SessionSandbox {
  /** Undefined: `--no-sandbox`. */
  readonly confinement: SeatbeltConfinement | undefined;
  /** The same without network, for checks of tool files (T11). */
  readonly offline: SeatbeltConfinement | undefined;
}

/** What Seatbelt does not do, or this program not with it; everybody is told. */
export const SEATBELT_GAPS = [
  "commands can read every file of this user but credentials and private history",
  "--network localhost reaches the services of this machine",
  "a command that leaves a process in a session of its own leaves it running, inside the sandbox",
] as const;

/** The sandbox, or why there can be none. Synchronous and quick: it stands before the first byte of MCP. */
export function prepareSeatbelt(settings: SandboxSettings, { sandboxExec }: Platform): Outcome<SeatbeltSandbox> {
  const forbidden = settings.environmentNames.find(isForbiddenVariable);
  if (forbidden !== undefined) {
    return failure(`Cannot pass "${forbidden}" to commands: it could change what every program or shell does`);
  }
  if (settings.enforce && expected(() => Deno.statSync(sandboxExec).isFile) !== true) {
    return failure(missingSandboxExec(sandboxExec));
  }
  const scopes = settleScopes(settings, { identityOf });
  if (!scopes.ok) return scopes;
  const { serverEnvironment: environment, home } = settings;
  const sensitive = sensitivePlaces({
    environment,
    home,
    workingDirectory: settings.workingDirectory,
    allow: settings.allowSensitive,
    more: SENSITIVE_ON_MACOS,
  });
  if (!sensitive.ok) return sensitive;
  const trees = writableTrees(settings, scopes.value, sensitive.value);
  if (!trees.ok) return trees;
  const protect = protectedPaths({
    trees: trees.value,
    home: home === undefined ? undefined : realPath(home),
    protect: settings.protect,
    allow: settings.allowProtected,
    own: settings.own,
  });
  if (!protect.ok) return protect;
  const place = { environment, home, writable: trees.value };
  const places = makeSessionPlaces(place, {
    project: scopeName(scopes.value),
    temporaryFiles: settings.temporaryFiles,
  });
  if (!places.ok) return places;
  const { directories, cache, ours } = places.value;
  const writable = [...trees.value, ...ours];
  const { network, unixSockets } = settings.confinement;
  const policy = {
    writable,
    ...closedPlaces({ sensitive: sensitive.value, protect: withTargets(protect.value, trees.value) }),
  };
  const profile = seatbeltProfile({ ...policy, network, unixSockets });
  const offline = seatbeltProfile({ ...policy, network: "none", unixSockets: "deny" });
  if (!profile.ok) return refused(directories, profile.problem);
  if (!offline.ok) return refused(directories, offline.problem);
  const confined = (name: string, made: SeatbeltProfile) =>
    settings.enforce ? confinement(sandboxExec, `${directories.files}/${name}.sb`, made) : undefined;
  return success({
    scopes: scopes.value,
    guard: undefined,
    writable: settings.enforce ? writable : [],
    directories,
    environment: {
      ...buildEnvironment({
        server: environment,
        extra: settings.environmentNames,
        temporaryDirectory: directories.temporary,
        cacheDirectory: cache,
        gitConfiguration: writeGitConfiguration(settings, directories, scopes.value),
        shell: settings.shell,
      }),
      LANG: environment["LANG"] ?? "en_US.UTF-8", // many versions of macOS have no C.UTF-8
    },
    missing: settings.enforce ? SEATBELT_GAPS : [],
    confinement: confined("profile", profile.value),
    offline: confined("offline", offline.value),
  });
}

function refused({ owner, root }: SessionDirectories, problem: string): Outcome<never> {
  owner.close();
  Deno.removeSync(root, { recursive: true });
  return failure(problem);
}

function confinement(
  program: string,
  profileFile: string,
  { profile, parameters }: SeatbeltProfile,
): SeatbeltConfinement {
  Deno.writeTextFileSync(profileFile, profile, { mode: 0o600, createNew: true });
  return { program, profileFile, parameters };
}

/** The scopes, and what `--write` names. */
function writableTrees(
  settings: SandboxSettings,
  scopes: readonly PinnedDirectory[],
  sensitive: readonly string[],
): Outcome<readonly string[]> {
  const writable = scopes.map(({ path }) => path);
  const problem = writable.map((path) => sensitiveProblem(path, sensitive)).find((found) => found !== undefined);
  if (problem !== undefined && settings.enforce) return failure(problem);
  const trees = [...writable];
  for (const given of settings.writes) {
    const path = namedPath(given, { ...settings, writable, sensitive });
    if (!path.ok) return path;
    if (!Deno.statSync(path.value).isDirectory) {
      return failure(`Cannot allow writing to "${given}": it is not an existing directory`);
    }
    trees.push(path.value);
  }
  return success(trees);
}

function identityOf(path: string): Pick<PinnedDirectory, "device" | "inode"> | undefined {
  const found = expected(() => Deno.statSync(path));
  return found === undefined ? undefined : { device: BigInt(found.dev), inode: BigInt(found.ino ?? 0) };
}
