/** What the machine's policy refuses of a server's entry, which could open more than the settings (S37). Pure. */
import { closedBy, networkText } from "../../settings/policy/held.ts";
import type { Policy } from "../../settings/policy/policy.ts";
import type { ServerSpec } from "../../upstream/config/server_spec.ts";
import type { FlagName } from "../../settings/flags/flags.ts";

/** Why the server may not be used, a sentence; undefined: it may. */
export function entryProblem(policy: Policy | undefined, spec: ServerSpec): string | undefined {
  for (const [name, value, what] of openedBy(spec)) {
    const problem = closedBy(policy, name, value);
    if (problem !== undefined) return `Cannot use its ${what}: ${problem}`;
  }
  return undefined;
}

/** The flags that would open the same, with their values, and what the entry calls it. */
function openedBy(spec: ServerSpec): readonly (readonly [FlagName, string, string])[] {
  if (spec.kind === "http") {
    const { hostname, port, protocol } = new URL(spec.url.text);
    const standard = protocol === "http:" ? "80" : "443";
    return [["network", `${hostname}:${port === "" ? standard : port}`, "address"]];
  }
  const { network, unixSockets, read, write } = spec;
  const places = write.filter((path) => path !== "scope");
  return [
    ...network === undefined ? [] : [["network", networkText(network), '"network"'] as const],
    ...unixSockets === undefined ? [] : [["unix-sockets", unixSockets, '"unixSockets"'] as const],
    ...read.map((path) => ["read", path, '"read"'] as const),
    ...places.map((path) => ["write", path, '"write"'] as const),
  ];
}
