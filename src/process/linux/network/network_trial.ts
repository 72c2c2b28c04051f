/** Proves that the list holds, in the very network of the session's commands and under their policy (S32). */
import { undefinedFor } from "../../../base/errors.ts";
import type { RelayedNetwork } from "../../../relay/relay.ts";
import type { LaunchTarget } from "../../../sandbox/launcher/policy_table.ts";
import type { Table } from "../../../sandbox/launcher/image/table.ts";
import type { SandboxPolicy } from "../../../sandbox/policy/policy.ts";
import type { Finding } from "../../../sandbox/selftest/judge.ts";
import { judgeNetwork, NETWORK_RESULTS_BYTES, networkAttackTable } from "../../../sandbox/selftest/network_attacks.ts";
import { listenedPorts } from "./named_network.ts";
import { describeFailure } from "../launch/launcher_reports.ts";
import type { Spawner } from "../../spawn.ts";
import { runTrial } from "./maker.ts";

export interface NetworkSelfTest {
  readonly policy: SandboxPolicy;
  /** The policy's table, as every command of the session gets it. */
  readonly table: Table;
  readonly target: LaunchTarget;
  readonly spawner: Spawner;
  /** What answers in its network; undefined: nothing does. */
  readonly relayed: Pick<RelayedNetwork, "passesOn" | "dials"> | undefined;
}

/** Addresses of this machine and its networks, in two forms, and that of cloud metadata. */
const NEVER_DIALLED = ["127.0.0.1", "::ffff:127.0.0.1", "10.0.0.1", "169.254.169.254"];

/** What was found; empty: there is no network by name. @throws {Error} When it could not run, which proves nothing. */
export async function testNetwork(
  { policy, table, target, spawner, relayed }: NetworkSelfTest,
): Promise<readonly Finding[]> {
  const { network, names } = policy.confinement;
  if (network !== "names") return [];
  const rule = names.find(({ kind }) => kind !== "address");
  const unique = crypto.randomUUID().slice(0, 8);
  using outside = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const place = {
    refused: `${unique}.self-test.invalid`,
    listed: rule?.kind === "below" ? `self-test.${rule.name}` : rule?.name,
    port: listenedPorts(names)[0] ?? 0,
    outside: outside.addr.port,
  };
  const attack = networkAttackTable(table, place, target.processor);
  const { output, failed, code, signal } = await runTrial(spawner, attack);
  if (failed !== undefined) throw new Error(describeFailure(failed, attack.steps, "the self-test"));
  if (output.length !== NETWORK_RESULTS_BYTES) {
    throw new Error(`The trial of the network ended with ${signal ?? `exit code ${code}`}`);
  }
  return judgeNetwork(output, place, {
    outside: await isReachable(place.outside),
    passedOn: relayed?.passesOn(place.refused, place.port) === true,
    dialled: relayed !== undefined && NEVER_DIALLED.some((address) => relayed.dials(place.refused, address)),
  });
}

/** The positive control. */
async function isReachable(port: number): Promise<boolean> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port }).catch(
    undefinedFor(Deno.errors.ConnectionRefused),
  );
  connection?.close();
  return connection !== undefined;
}
