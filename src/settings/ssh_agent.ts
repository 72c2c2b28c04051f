/** The settings of the ssh agent of commands (S42). Pure. */
import type { SandboxChoice } from "../sandbox/policy/sandbox_settings.ts";
import { type HostName, readHost } from "../ssh_agent/hosts/host_name.ts";
import type { FlagValues } from "./flags/flag_values.ts";

/** Which keys commands may use, and to log in where. */
export interface SshAgentSettings {
  /** Fingerprints, comments, or absolute paths of public keys; empty: commands have no agent. */
  readonly keys: readonly string[];
  /** Empty: they sign for git only. */
  readonly hosts: readonly HostName[];
}

/** What the flags say; they were checked by `sshHostProblem`. */
export function sshAgentFrom(values: FlagValues): SshAgentSettings {
  return {
    keys: values.texts("ssh-agent").flatMap((text) => text.split(",")).map((key) => key.trim()),
    hosts: values.texts("ssh-hosts").flatMap((text) => readHost(text) ?? []),
  };
}

/** Why the agent cannot be used with these settings, a sentence; undefined: it can, or is not wanted. */
export function sshAgentProblem(
  { sshAgent: { keys, hosts }, sandbox: { enforce, confinement: { unixSockets } } }: {
    readonly sshAgent: SshAgentSettings;
    readonly sandbox: Pick<SandboxChoice, "enforce" | "confinement">;
  },
): string | undefined {
  if (keys.length === 0) {
    return hosts.length === 0
      ? undefined
      : "Cannot use --ssh-hosts without --ssh-agent KEY, which says what logs in there";
  }
  if (!enforce) return "Cannot use --ssh-agent with --no-sandbox: commands can use your own ssh agent then";
  if (unixSockets === "private") return undefined;
  return `Cannot use --ssh-agent with --unix-sockets ${unixSockets}: commands must reach its socket and not your own ` +
    "agent's. Leave --unix-sockets out";
}
