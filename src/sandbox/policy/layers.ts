/** The layers above Landlock that a kernel or a container may refuse, and that a person may require (S8). */
import type { SandboxPolicy } from "./policy.ts";

interface Layer {
  /** Whether the policy in force, as the kernel was asked about it, has the layer. */
  readonly inForce: (policy: SandboxPolicy) => boolean;
  /** How to get it. */
  readonly remedy: string;
}

/** A further layer is one more row. */
const LAYERS = {
  "namespaces": {
    inForce: (policy) => policy.namespaces,
    remedy: "Allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, " +
      "kernel.apparmor_restrict_unprivileged_userns=0 and user.max_user_namespaces above 0; in a container, a seccomp " +
      "profile that allows unshare and mount (Docker: --security-opt seccomp=unconfined, or rootless Podman). Inside " +
      "another sandbox, one of ahma_mcp too, there are none",
  },
  "seccomp": {
    inForce: ({ confinement }) => confinement.filter,
    remedy:
      "Use a kernel built with CONFIG_SECCOMP_FILTER=y; in a container or another sandbox, allow the system call seccomp",
  },
} as const satisfies Readonly<Record<string, Layer>>;

export type SandboxLayer = keyof typeof LAYERS;

/** In the order they are named to people. */
export const SANDBOX_LAYERS = Object.keys(LAYERS) as readonly SandboxLayer[]; // the keys of a constant object

/** Why these settings cannot be met; undefined: every required layer is in force. */
export function missingLayer(required: readonly SandboxLayer[], policy: SandboxPolicy): string | undefined {
  const missing = required.find((layer) => !LAYERS[layer].inForce(policy));
  return missing === undefined
    ? undefined
    : `Cannot start with --require-layer ${missing}: this system refuses it.\n${LAYERS[missing].remedy}`;
}
