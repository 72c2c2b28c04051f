/** Makes the empty network of a session's commands with `--network none` (S6), once, before the first. */
import { canShareNetwork, type EmptyNetwork } from "../../../sandbox/launcher/steps/network_steps.ts";
import { networkTable } from "../../../sandbox/launcher/policy_table.ts";
import type { NamespaceQuestion } from "./namespaces.ts";

/** Kept open; the network ends when this is closed and the last command in it has ended. */
export interface HeldNetwork extends EmptyNetwork {
  close(): void;
}

/**
 * The network to share; undefined if commands share none. If it cannot be made or kept, each command makes its own.
 * @throws {Error} When the system cannot start a process.
 */
export async function holdEmptyNetwork(request: NamespaceQuestion): Promise<HeldNetwork | undefined> {
  const { policy, target, spawner, logger } = request;
  if (policy === undefined || !canShareNetwork(policy)) return undefined;
  const image = spawner.image(networkTable(policy, target));
  try {
    const maker = spawner.start(image, "piped");
    const output = maker.output.getReader();
    const { done } = await output.read();
    const held = done ? undefined : hold(maker.pid, request);
    await Promise.allSettled([maker.stdin.close(), output.cancel(), maker.reports.cancel(), maker.status]);
    if (held === undefined) logger.debug("Commands do not share an empty network; each makes its own");
    return held;
  } finally {
    image.dispose();
  }
}

function hold(pid: number, { policy, spawner }: NamespaceQuestion): HeldNetwork | undefined {
  const kinds = policy?.user.uid === 0 ? ["net"] as const : ["net", "user"] as const;
  const opened = kinds.map((kind) => spawner.openNamespace(pid, kind));
  const close = () => opened.forEach((one) => one?.close());
  const [network, user] = opened;
  if (network !== undefined && !opened.includes(undefined)) return { network: network.path, user: user?.path, close };
  close();
  return undefined;
}
