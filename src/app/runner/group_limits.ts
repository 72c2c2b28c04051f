/** Limits of whole process trees: what people read about them, and what must hold before anything starts (S38). */
import { binary } from "../../base/command/tree_usage.ts";
import type { Outcome } from "../../base/outcome.ts";
import type { ControlGroups } from "../../process/groups/control_groups.ts";
import type { TotalLimits } from "../../sandbox/policy/confinement.ts";
import type { SandboxPolicy } from "../../sandbox/policy/policy.ts";

/** What is known once the kernel was asked. */
export interface TreeBounds {
  readonly groups: Outcome<Pick<ControlGroups, "controllers" | "directory" | "together">>;
  /** Undefined: `--no-sandbox`. */
  readonly policy: SandboxPolicy | undefined;
}

/** One line about what holds. Pure. */
export function groupLine({ groups, policy }: TreeBounds): string {
  const counted = countsByNamespace(policy)
    ? "the PID namespace counts processes"
    : "nothing counts processes of a tree";
  if (!groups.ok) return `none: ${groups.problem}; --limit-memory-total cannot be enforced, ${counted}`;
  const { controllers, directory, together: { memory, tasks } } = groups.value;
  const all = [
    ...memory !== undefined && controllers.includes("memory") ? [binary(memory)] : [],
    ...tasks !== undefined && controllers.includes("pids") ? [`${tasks} processes`] : [],
  ];
  const missing = controllers.includes("memory")
    ? ""
    : "; --limit-memory-total cannot be enforced: no memory controller here";
  return `one for each command in ${directory}; all commands together: at most ${all.join(" and ")}${missing}`;
}

/** Why the server may not start; undefined: what was chosen holds. Pure. */
export function unheldTotal({ memory, tasks }: TotalLimits, { groups, policy }: TreeBounds): string | undefined {
  const controllers = groups.ok ? groups.value.controllers : [];
  const reason = groups.ok ? `"${groups.value.directory}" has no such controller` : groups.problem;
  if (memory !== undefined && !controllers.includes("memory")) {
    return `Cannot enforce --limit-memory-total ${memory}: that needs a control group with the memory controller, and ` +
      `${reason}. Start the server in one of its own (systemd-run --user --scope -p Delegate=yes ahma_mcp ...), or use ` +
      "--limit-memory, which limits each process";
  }
  if (tasks !== undefined && !controllers.includes("pids") && !countsByNamespace(policy)) {
    return `Cannot enforce --limit-tasks ${tasks}: that needs a control group with the pids controller, or a PID namespace ` +
      `of Linux 6.14, and ${reason}. Use --limit-processes, which is enforced as far as this system can`;
  }
  return undefined;
}

/** An ordinary user's are counted by the user namespace too. */
function countsByNamespace(policy: SandboxPolicy | undefined): boolean {
  return policy?.namespaces === true && (policy.confinement.countedByNamespace || policy.user.uid !== 0);
}
