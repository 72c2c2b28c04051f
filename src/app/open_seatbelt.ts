/** A session's sandbox and runner on macOS, tried before the first byte of MCP (S12, S13). */
import { UserError } from "../base/errors.ts";
import { MacosRunner } from "../process/macos/macos_runner.ts";
import type { Logger } from "../base/log.ts";
import type { Shell } from "../process/shell.ts";
import { parentOf } from "../system/paths.ts";
import type { Platform } from "../sandbox/policy/platform.ts";
import type { SandboxSettings } from "../sandbox/policy/sandbox_settings.ts";
import { prepareSeatbelt, type SeatbeltSandbox } from "../sandbox/prepare_macos.ts";
import { removeSessionDirectories } from "../sandbox/directories/session_directory.ts";
import type { SandboxStatus } from "../service/service.ts";
import { withRoom } from "./program/disk_space.ts";

export interface SeatbeltSession {
  readonly sandbox: SeatbeltSandbox;
  readonly runner: MacosRunner;
  readonly status: SandboxStatus;
}

/** Builds and tests it. @throws {UserError} When it is impossible, with the way out. */
export async function openSeatbelt(
  settings: SandboxSettings,
  { shell, platform, logger }: { readonly shell: Shell; readonly platform: Platform; readonly logger: Logger },
): Promise<SeatbeltSession> {
  const prepared = withRoom(() => prepareSeatbelt(settings, platform));
  if (!prepared.ok) throw new UserError(prepared.problem);
  const sandbox = prepared.value;
  const { confinement, scopes, missing, directories } = sandbox;
  const runner = new MacosRunner({ ...sandbox, sandbox, shell, logger });
  if (confinement === undefined) {
    return {
      sandbox,
      runner,
      status: { enforced: false, summary: "off (--no-sandbox): commands run with all rights of the server's user" },
    };
  }
  const tried = await runner.tryOut(scopes[0]?.path ?? "/");
  if (!tried.ok) {
    const kept = await keepProfile(confinement.profileFile, parentOf(directories.root));
    await removeSessionDirectories(directories);
    throw new UserError(tried.problem.replaceAll(confinement.profileFile, kept));
  }
  return {
    sandbox,
    runner,
    status: { enforced: true, summary: `Seatbelt; ${missing.length} gaps on macOS, see the log` },
  };
}

/** A copy that outlives the session, for finding mistakes in a profile. */
async function keepProfile(profile: string, base: string): Promise<string> {
  const kept = await Deno.makeTempFile({ dir: base, prefix: "ahma_mcp-refused-", suffix: ".sb" });
  await Deno.copyFile(profile, kept);
  return kept;
}
