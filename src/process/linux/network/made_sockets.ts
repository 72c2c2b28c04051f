/** Sockets in the network of a session's commands, for connections that begin outside (S34). */
import { socketsTable } from "../../../sandbox/launcher/policy_table.ts";
import type { LaunchTarget } from "../../../sandbox/launcher/policy_table.ts";
import { FIRST_SOCKET_FD, type SharedNetwork, SOCKETS } from "../../../sandbox/launcher/steps/network_steps.ts";
import type { Spawner } from "../../spawn.ts";
import { startMaker } from "./maker.ts";

/** Unconnected sockets of one family, which stay in that network. @throws {Error} When the system makes none. */
export async function makeSocketsIn(
  network: SharedNetwork,
  family: 4 | 6,
  { spawner, target }: { readonly spawner: Spawner; readonly target: LaunchTarget },
): Promise<readonly number[]> {
  const image = spawner.image(socketsTable(network, target, family));
  try {
    await using maker = await startMaker(spawner, image);
    if (maker.problem !== undefined) throw new Error(maker.problem);
    return Array.from({ length: SOCKETS }, (_, at) => spawner.takeDescriptor(maker.pid, FIRST_SOCKET_FD + at));
  } finally {
    image.dispose();
  }
}
