/** Builds a session's sandbox on macOS, with the profile in a file that no command can write. process/ tries it. */
import type { NetworkReach } from "../base/network/network_bound.ts";
import { failure, type Outcome, success } from "../base/outcome.ts";
import { expected } from "../system/paths.ts";
import type { SessionDirectories } from "./directories/session_directory.ts";
import type { Platform } from "./policy/platform.ts";
import type { PinnedDirectory } from "./policy/policy.ts";
import type { SandboxSettings } from "./policy/sandbox_settings.ts";
import { withTargets } from "./protect/protected_paths.ts";
import { closedPlaces, SENSITIVE_ON_MACOS } from "./seatbelt/denied_paths.ts";
import { type SeatbeltProfile, seatbeltProfile } from "./seatbelt/profile.ts";
import { missingSandboxExec, type SeatbeltConfinement } from "./seatbelt/sandbox_exec.ts";
import {
  discardDirectories,
  environmentOf,
  openDirectories,
  type SessionSandbox,
  settlePaths,
} from "./settle_paths.ts";

/** A session's sandbox on macOS. */
export interface SeatbeltSandbox extends SessionSandbox {
  /** Undefined: `--no-sandbox`. */
  readonly confinement: SeatbeltConfinement | undefined;
  /** The same without network, for checks of tool files (T11). */
  readonly offline: SeatbeltConfinement | undefined;
  /** The same with the machine's loopback at most, for tool files that ask for that (S43). */
  readonly loopback: SeatbeltConfinement | undefined;
  readonly network: NetworkReach["network"];
}

/** What Seatbelt, or this program with it, does not enforce; each client gets these sentences. */
const SEATBELT_GAPS = [
  "commands can read every file of this user but credentials and private history",
  "--network localhost reaches the services of this machine",
  "a command that leaves a process in a session of its own leaves it running, inside the sandbox",
] as const;

const NO_NAMES =
  "Cannot restrict commands to the names of --network on macOS: Seatbelt cannot filter by name. Use --network none, " +
  "localhost or full instead";

const NO_GPUS = "Cannot open a GPU to commands on macOS: --gpu opens device nodes of Linux. Start without it";

/** The sandbox, or why it is impossible. Synchronous and quick, because it runs before the first byte of MCP. */
export function prepareSeatbelt(settings: SandboxSettings, { sandboxExec }: Platform): Outcome<SeatbeltSandbox> {
  if (settings.enforce && expected(() => Deno.statSync(sandboxExec).isFile) !== true) {
    return failure(missingSandboxExec(sandboxExec));
  }
  const { network } = settings.confinement;
  if (network === "names") return failure(NO_NAMES);
  if (settings.enforce && settings.gpus.length > 0) return failure(NO_GPUS);
  const settled = settlePaths(settings, { identityOf, moreCredentials: SENSITIVE_ON_MACOS });
  if (!settled.ok) return settled;
  const { scopes, sensitive, trees, protect } = settled.value;
  const own = openDirectories(settings, settled.value);
  if (!own.ok) return own;
  const { directories } = own.value;
  const writable = [...trees, ...own.value.writable];
  // Those that commands make in their trees work there, with either of the others.
  const unixSockets = settings.confinement.unixSockets === "allow" ? "allow" : "deny";
  const policy = { writable, ...closedPlaces({ sensitive, protect: withTargets(protect, trees) }) };
  const profile = seatbeltProfile({ ...policy, network, unixSockets });
  const offline = seatbeltProfile({ ...policy, network: "none", unixSockets: "deny" });
  const loopback = seatbeltProfile({ ...policy, network: network === "none" ? network : "localhost", unixSockets });
  if (!profile.ok) return refused(directories, profile.problem);
  if (!offline.ok) return refused(directories, offline.problem);
  if (!loopback.ok) return refused(directories, loopback.problem);
  const confined = (name: string, made: SeatbeltProfile) =>
    settings.enforce ? confinement(sandboxExec, `${directories.files}/${name}.sb`, made) : undefined;
  return success({
    scopes,
    sensitive,
    guard: undefined,
    writable: settings.enforce ? writable : [],
    directories,
    environment: {
      ...environmentOf(settings, settled.value, own.value),
      LANG: settings.serverEnvironment["LANG"] ?? "en_US.UTF-8", // many versions of macOS have no C.UTF-8
    },
    missing: settings.enforce ? SEATBELT_GAPS : [],
    warnings: own.value.warnings,
    confinement: confined("profile", profile.value),
    offline: confined("offline", offline.value),
    loopback: confined("loopback", loopback.value),
    network,
  });
}

function refused(directories: SessionDirectories, problem: string): Outcome<never> {
  discardDirectories(directories);
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

function identityOf(path: string): Pick<PinnedDirectory, "device" | "inode"> | undefined {
  const found = expected(() => Deno.statSync(path));
  return found === undefined ? undefined : { device: BigInt(found.dev), inode: BigInt(found.ino ?? 0) };
}
