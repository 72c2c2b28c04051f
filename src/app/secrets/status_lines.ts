import { shorten } from "../../base/visible_text.ts";
import { printUse } from "../../secrets/binding.ts";
import type { SecretSettings } from "../../settings/secrets.ts";
import type { SshAgentSettings } from "../../settings/ssh_agent.ts";
import { printHost } from "../../ssh_agent/hosts/host_name.ts";

const LONGEST = 1000;

/** A line of `status`: the secrets and where they go; empty: there are none. */
export function secretsLine({ bindings }: SecretSettings): string {
  if (bindings.length === 0) return "";
  const told = bindings.map(({ name, hosts, use }) => {
    const places = hosts.map((host) => host.port === 443 ? host.name : `${host.name}:${host.port}`);
    return `${name} for ${places.join(", ")} (${printUse(use)})`;
  });
  return `\nSecrets: ${shorten(told.join("; "), LONGEST)}`;
}

/** A line of `status`: the keys of the user's ssh agent and where they log in; empty: commands have none. */
export function sshAgentLine({ keys, hosts }: SshAgentSettings): string {
  if (keys.length === 0) return "";
  const places = ["git's signatures", ...hosts.map(printHost)].join(", ");
  return `\nSsh agent: ${shorten(`${keys.join(", ")} for ${places}`, LONGEST)}`;
}
