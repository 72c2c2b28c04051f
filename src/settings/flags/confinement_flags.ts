/** The flags of network, sockets and resources (S6, S10). */
import { NETWORKS, UNIX_SOCKETS } from "../../sandbox/policy/confinement.ts";

/** Rows of the table of flags (flags.ts). */
export const CONFINEMENT_FLAGS = {
  "network": {
    value: "choice",
    placeholder: "WHERE",
    choices: NETWORKS,
    help: "Where commands may connect: full, localhost (their own), none (default: full)",
    narrowsOnly: "full",
  },
  "unix-sockets": {
    value: "choice",
    placeholder: "WHETHER",
    choices: UNIX_SOCKETS,
    help: "Whether commands may use Unix sockets: allow, deny (default: deny)",
    narrowsOnly: "deny",
  },
  "limit-file-size": {
    value: "limit",
    placeholder: "BYTES",
    range: [4096, Number.MAX_SAFE_INTEGER],
    help: "How large a file a command may write, as in 500M (default: 16G)",
    narrowsOnly: "16G",
  },
  "limit-processes": {
    value: "limit",
    placeholder: "N",
    range: [8, 4_000_000],
    help: "How many processes and threads a command may have (default: 2048)",
    narrowsOnly: "2048",
  },
  "limit-open-files": {
    value: "limit",
    placeholder: "N",
    range: [64, 1_000_000_000],
    help: "How many files a process may have open (default: 65536)",
    narrowsOnly: "65536",
  },
  "limit-memory": {
    value: "limit",
    placeholder: "BYTES",
    range: [16 * 1024 ** 2, Number.MAX_SAFE_INTEGER],
    help: "How much private memory one process may write to, as in 4G (default: none)",
    narrowsOnly: "none",
  },
  "limit-cpu": {
    value: "limit",
    placeholder: "SECONDS",
    range: [1, 1_000_000_000],
    help: "How much processor time one process may take (default: none)",
    narrowsOnly: "none",
  },
} as const;
