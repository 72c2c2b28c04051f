/** Whether a server with these settings can ask its user (S35). */
import type { AskKind } from "../../base/command/grant_subject.ts";
import type { Network } from "../../sandbox/policy/confinement.ts";

/** Why it cannot, as a sentence; undefined: it can, or asks nothing. */
export function askingProblem(
  { asks, sandbox: { enforce, confinement: { network } }, sshAgent, http }: {
    readonly asks: readonly AskKind[];
    readonly sandbox: { readonly enforce: boolean; readonly confinement: { readonly network: Network } };
    readonly sshAgent: { readonly keys: readonly string[] };
    readonly http: { readonly sessionIsolation: boolean } | undefined;
  },
): string | undefined {
  if (asks.length === 0) return undefined;
  const refused = `Cannot ask for ${asks.join(", ")} (--ask)`;
  if (!enforce) return `${refused} with --no-sandbox: nothing is denied to commands`;
  if (http?.sessionIsolation === false) {
    return `${refused} where clients share one sandbox: one person would answer for all. Use --session-isolation`;
  }
  if (asks.includes("network") && network !== "names") {
    return `${refused} with --network ${network}: hosts are asked for beyond a list. Use --network packages, for example`;
  }
  if (asks.includes("ssh") && sshAgent.keys.length === 0) {
    return `${refused} without --ssh-agent KEY, which names what commands may log in with`;
  }
  return undefined;
}
