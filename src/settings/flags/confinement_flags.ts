/** The flags of network, sockets and resources (S6, S10). */
import { NETWORKS, UNIX_SOCKETS } from "../../sandbox/policy/confinement.ts";
import { type FlagRow, taking } from "./flag.ts";

/** Rows of the table of flags (flags.ts). */
export const CONFINEMENT_FLAGS = {
  "network": {
    value: "choice",
    placeholder: "WHERE",
    help: "Where commands may connect: full, localhost (private to each command), none (default: full)",
    choices: NETWORKS,
    narrowsOnly: "full",
  },
  "unix-sockets": taking(
    "choice",
    "WHETHER",
    "Which Unix sockets commands use: allow (all), private (their own), deny (default: private)",
    {
      choices: UNIX_SOCKETS,
      narrowsOnly: "private",
    },
  ),
  "limit-file-size": taking("limit", "BYTES", "Largest file that a command may write, such as 500M (default: 16G)", {
    range: [4096, Number.MAX_SAFE_INTEGER],
    narrowsOnly: "16G",
  }),
  "limit-processes": taking("limit", "N", "How many processes and threads a command may have (default: 2048)", {
    range: [8, 4_000_000],
    narrowsOnly: "2048",
  }),
  "limit-open-files": taking("limit", "N", "How many files a process may have open (default: 65536)", {
    range: [100, 1_000_000_000],
    narrowsOnly: "65536",
  }),
  "limit-memory": {
    value: "limit",
    placeholder: "BYTES",
    help: "How much memory one process may write to, such as 4G; it can then share only /dev/shm (default: none)",
    range: [16 * 1024 ** 2, Number.MAX_SAFE_INTEGER],
    narrowsOnly: "none",
  },
  "limit-cpu": taking("limit", "SECONDS", "How much processor time one process may take (default: none)", {
    range: [1, 1_000_000_000],
    narrowsOnly: "none",
  }),
} as const satisfies Readonly<Record<string, FlagRow>>;
