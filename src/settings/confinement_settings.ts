/** What the flags of network, sockets and resources come to (S6, S10). */
import { type ConfinementChoice, DEFAULT_CONFINEMENT, NETWORKS, UNIX_SOCKETS } from "../sandbox/policy/confinement.ts";
import type { FlagValues } from "./flags/flag_values.ts";

/** What was chosen; values were checked against the table. */
export function confinementFrom(values: FlagValues): ConfinementChoice {
  const [network] = values.texts("network");
  const [unixSockets] = values.texts("unix-sockets");
  return {
    network: NETWORKS.find((one) => one === network) ?? DEFAULT_CONFINEMENT.network,
    unixSockets: UNIX_SOCKETS.find((one) => one === unixSockets) ?? DEFAULT_CONFINEMENT.unixSockets,
    limits: {
      fileSize: values.limit("limit-file-size"),
      processes: values.limit("limit-processes"),
      openFiles: values.limit("limit-open-files"),
      memory: values.limit("limit-memory"),
      cpuSeconds: values.limit("limit-cpu"),
    },
  };
}
