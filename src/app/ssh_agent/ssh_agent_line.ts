import { shorten } from "../../base/visible_text.ts";
import type { SshAgentSettings } from "../../settings/ssh_agent.ts";
import { printHost } from "../../ssh_agent/hosts/host_name.ts";

const LONGEST = 1000;

/** A line of `status`: the keys of the user's ssh agent and where they log in; empty: commands have none. */
export function sshAgentLine({ keys, hosts }: SshAgentSettings): string {
  if (keys.length === 0) return "";
  const places = ["git's signatures", ...hosts.map(printHost)].join(", ");
  return `\nSsh agent: ${shorten(`${keys.join(", ")} for ${places}`, LONGEST)}`;
}
