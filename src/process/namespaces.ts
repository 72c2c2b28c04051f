/**
 * Asks the kernel for namespaces by trying (S8). A system that refuses them leaves the other layers to stand alone; a
 * moment's shortage must not take them from a whole session, so that is an error, and the next command asks again.
 */
import type { Logger } from "../base/log.ts";
import { type LaunchTarget, namespaceProbeTable } from "../sandbox/launcher/steps.ts";
import type { SandboxPolicy } from "../sandbox/policy.ts";
import { restrictedToLandlock } from "../sandbox/without_namespaces.ts";
import { describeFailure, type LauncherReport, ReportReader } from "./reports.ts";
import type { Spawner } from "./spawn.ts";

const EPERM = 1;
const EACCES = 13;
const EINVAL = 22;
const ENOSPC = 28;
const ENOSYS = 38;
/** The system does not want or have them. */
const REFUSALS: readonly number[] = [EPERM, EACCES, EINVAL, ENOSYS];

export interface NamespaceQuestion {
  readonly policy: SandboxPolicy | undefined;
  readonly target: LaunchTarget;
  readonly spawner: Spawner;
  readonly logger: Logger;
}

/**
 * The policy to use: as it is, or without namespaces where the system refuses them. Undefined: `--no-sandbox`.
 * @throws {Error} When the answer may be another one in a moment.
 */
export async function settleNamespaces(question: NamespaceQuestion): Promise<SandboxPolicy | undefined> {
  const { policy, target, spawner, logger } = question;
  if (policy === undefined) return undefined;
  if (!policy.namespaces) return restrictedToLandlock(policy);
  const table = namespaceProbeTable(policy, target);
  const image = spawner.image(table);
  let failed: LauncherReport | undefined;
  try {
    const probe = spawner.start(image, "null");
    const [{ code, signal }, reports] = await Promise.all([
      probe.status,
      new Response(probe.reports).bytes(),
      probe.output.cancel(),
    ]);
    if (code === 0) return policy;
    failed = new ReportReader().read(reports).find(({ kind }) => kind === "failed");
    if (failed?.kind !== "failed") throw new Error(`Trial of the sandbox ended with ${signal ?? `exit code ${code}`}`);
  } finally {
    image.dispose();
  }
  const reason = describeFailure(failed, table.steps, "a command");
  if (!isRefusal(failed.errno, spawner)) throw new Error(reason);
  logger.warn("Namespaces are not available: commands run with Landlock alone", { reason });
  return restrictedToLandlock(policy);
}

function isRefusal(errno: number, spawner: Spawner): boolean {
  return REFUSALS.includes(errno) || errno === ENOSPC && spawner.namespacesAreSwitchedOff();
}
