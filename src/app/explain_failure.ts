import type { Denial } from "../base/command/denial.ts";
import type { SandboxedRunner } from "../process/linux/linux_runner.ts";
import { type EndedCommand, explainDenials } from "../sandbox/denials/explain.ts";
import type { Sandbox } from "../sandbox/prepare_linux.ts";

/** Names can lie on file systems that hang; a result does not wait for them longer. */
const LONGEST_LOOK_MS = 500;

/** Explains failed commands by the policy they ran behind (S15). */
export function failureExplainer(
  { scopes, environment, sensitive, guard }: Pick<Sandbox, "scopes" | "environment" | "sensitive" | "guard">,
  runner: Pick<SandboxedRunner, "policy" | "readOnly">,
): (command: EndedCommand) => Promise<readonly Denial[]> {
  return async (command) => {
    const [settled] = await Promise.allSettled([runner.policy]);
    const policy = settled.status === "fulfilled" ? settled.value : undefined;
    if (policy === undefined) return [];
    const late = Promise.withResolvers<readonly Denial[]>();
    const timer = setTimeout(() => late.resolve([]), LONGEST_LOOK_MS);
    const context = {
      policy,
      scopes: scopes.map(({ path }) => path),
      home: environment["HOME"],
      sensitive,
      covered: policy.namespaces ? (guard?.hidden ?? []).map(({ path }) => path) : [],
      readOnly: runner.readOnly,
    };
    const denials = await Promise.race([explainDenials(command, context), late.promise]);
    clearTimeout(timer);
    return denials;
  };
}
