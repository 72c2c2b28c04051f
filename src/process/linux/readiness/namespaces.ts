/** Tries which namespaces the kernel gives (S8). A shortage is an error, and the next command tries again. */
import type { Logger } from "../../../base/log.ts";
import {
  type LaunchTarget,
  NAMESPACES_STEP,
  networkTable,
  trialTable,
} from "../../../sandbox/launcher/policy_table.ts";
import type { RelayedNetwork } from "../../../relay/relay.ts";
import type { SandboxPolicy } from "../../../sandbox/policy/policy.ts";
import { missingLayers, narrowed, restrictedToLandlock, tooOpen } from "../../../sandbox/launcher/policy_fallback.ts";
import { describeFailure } from "../launch/launcher_reports.ts";
import { NOT_HANDED_OVER, runTrial, startMaker } from "../network/maker.ts";
import type { Spawner } from "../../spawn.ts";
import { type NetworkServer, planOf, serveNetwork } from "../network/named_network.ts";
import { EACCES, EINVAL, ENOSPC, ENOSYS, EPERM } from "../../../system/syscalls.ts";
import { canShareNetwork, type SharedNetwork } from "../../../sandbox/launcher/steps/network_steps.ts";

/** The system refuses or lacks them. */
const REFUSALS: readonly number[] = [EPERM, EACCES, EINVAL, ENOSYS];

export interface NamespaceQuestion {
  /** Undefined: `--no-sandbox`. */
  readonly policy: SandboxPolicy | undefined;
  readonly target: LaunchTarget;
  readonly spawner: Spawner;
  readonly logger: Logger;
  /** Whether a launch under the whole policy, made for another purpose, took every step; absent: it was not tried. */
  readonly tryWhole?: (policy: SandboxPolicy) => Promise<boolean>;
}

/** The policy without what the system refuses. @throws {Error} When that may change soon, or nothing is left. */
export async function settleNamespaces(question: NamespaceQuestion): Promise<SandboxPolicy | undefined> {
  const { spawner, logger } = question;
  if (question.policy === undefined) return undefined;
  let policy = question.policy.namespaces ? question.policy : restrictedToLandlock(question.policy);
  const isWhole = await question.tryWhole?.(policy) === true;
  while (!isWhole) {
    const refused = await tried(policy, question);
    if (refused === undefined) break;
    const next = isRefusal(refused.errno, spawner) ? narrowed(policy, refused.step) : undefined;
    if (next === undefined) throw new Error(refused.reason);
    // Trying without IPC namespaces is a guess first; if it is right, that is reported below.
    const guess = next.namespaces && refused.step === NAMESPACES_STEP;
    const what = policy.namespaces && !next.namespaces
      ? "Namespaces are not available: commands run with Landlock alone"
      : "A layer of the sandbox is not available";
    if (!guess) logger.warn(what, { reason: refused.reason });
    policy = next;
  }
  const problem = tooOpen(policy);
  if (problem !== undefined) throw new Error(problem);
  for (const gap of missingLayers(question.policy, policy)) logger.warn("Sandbox incomplete on this system", { gap });
  return policy;
}

interface Refusal {
  readonly step: string;
  readonly errno: number;
  /** For a person. */
  readonly reason: string;
}

/** Takes every step of the policy but the command's; undefined: all succeeded. */
async function tried(
  policy: SandboxPolicy,
  { target, spawner }: Pick<NamespaceQuestion, "target" | "spawner">,
): Promise<Refusal | undefined> {
  const table = trialTable(policy, target);
  const { code, signal, failed } = await runTrial(spawner, table);
  if (code === 0) return undefined;
  if (failed === undefined) throw new Error(`Trial of the sandbox ended with ${signal ?? `exit code ${code}`}`);
  const reason = describeFailure(failed, table.steps, "a command");
  return { step: table.steps[failed.step] ?? "", errno: failed.errno, reason };
}

function isRefusal(errno: number, spawner: Spawner): boolean {
  return REFUSALS.includes(errno) || errno === ENOSPC && spawner.namespacesAreSwitchedOff();
}

/** Kept open; the network ends when this is closed and the last command in it has ended. */
export interface HeldNetwork extends SharedNetwork {
  /** What answers in a network by name; absent: it is another one. */
  readonly relayed?: Pick<RelayedNetwork, "passesOn" | "dials">;
  close(): void;
}

export interface NetworkRequest extends NamespaceQuestion {
  /** Serves a network by name. */
  readonly networkServer: () => Promise<NetworkServer>;
}

/** The network to share; undefined: each command has its own. @throws {Error} When a named one cannot be served. */
export async function holdNetwork(request: NetworkRequest): Promise<HeldNetwork | undefined> {
  const { policy, target, spawner, logger } = request;
  if (policy === undefined || !canShareNetwork(policy)) return undefined;
  const plan = planOf(policy, spawner);
  const server = plan && await request.networkServer();
  const image = spawner.image(networkTable(policy, target, plan));
  try {
    await using maker = await startMaker(spawner, image);
    const held = maker.problem === undefined ? hold(maker.pid, request) : undefined;
    if (plan !== undefined && server !== undefined) {
      if (held === undefined) {
        throw new Error(`Cannot make the network that --network names: ${maker.problem ?? NOT_HANDED_OVER}`);
      }
      try {
        return served(held, serveNetwork(maker.pid, { plan, policy, spawner, server }));
      } catch (thrown) {
        held.close();
        throw thrown;
      }
    }
    if (held === undefined) logger.debug("Commands do not share a network; each makes its own");
    return held;
  } finally {
    image.dispose();
  }
}

function served(held: HeldNetwork, network: RelayedNetwork): HeldNetwork {
  return {
    ...held,
    relayed: network,
    close: () => {
      network.close();
      held.close();
    },
  };
}

function hold(pid: number, { policy, spawner }: NamespaceQuestion): HeldNetwork | undefined {
  const kinds = policy?.user.uid === 0 ? ["net"] as const : ["net", "user"] as const;
  const opened = kinds.map((kind) => spawner.openNamespace(pid, kind));
  const close = () => opened.forEach((one) => one?.close());
  const [network, user] = opened;
  const kind = policy?.confinement.network ?? "full";
  if (kind !== "full" && network !== undefined && !opened.includes(undefined)) {
    return { kind, network: network.path, user: user?.path, close };
  }
  close();
  return undefined;
}
