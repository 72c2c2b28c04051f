/** What commands have of the ssh agent that the server opens for them (S42). */
import type { SandboxAgent } from "../policy/sandbox_settings.ts";

const SOCKET = "ssh-agent";
const KNOWN_HOSTS = "known_hosts";

/** Its socket, in a directory that commands can read and only the server writes. */
export function agentSocket(directory: string): string {
  return `${directory}/${SOCKET}`;
}

/** Writes the known hosts and gives the variables. Other hosts, and hosts with changed keys, get no signature. */
export function writeAgentFiles(
  directory: string,
  { knownHosts }: SandboxAgent,
  write: (path: string, text: string) => void,
): Readonly<Record<string, string>> {
  const path = `${directory}/${KNOWN_HOSTS}`;
  write(path, knownHosts);
  const options = [
    "BatchMode=yes",
    "StrictHostKeyChecking=accept-new",
    `UserKnownHostsFile=${path}`,
    "GlobalKnownHostsFile=/dev/null",
  ];
  return {
    SSH_AUTH_SOCK: agentSocket(directory),
    GIT_SSH_COMMAND: ["ssh", ...options.map((one) => `-o ${one}`)].join(" "),
  };
}

/** Lines of git's configuration: commits are signed with the first key, since files of others are out of reach. */
export function signingLines({ signingKey }: Pick<SandboxAgent, "signingKey">): string {
  return signingKey === undefined ? "" : `[gpg]\n\tformat = ssh\n[user]\n\tsigningKey = "key::${signingKey}"\n`;
}
