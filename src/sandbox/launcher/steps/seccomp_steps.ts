/** Installs the filter of system calls (S8): after the last call it denies, and before the command exists. */
import { boundsMemory } from "../../policy/confinement.ts";
import type { SandboxPolicy } from "../../policy/policy.ts";
import { encode } from "../../seccomp/bpf.ts";
import { seccompFilter } from "../../seccomp/filter.ts";
import type { Processor } from "../../../system/syscalls.ts";
import type { Draft } from "./identity_steps.ts";

const SECCOMP_SET_MODE_FILTER = 1;

/** The step by name, for callers that continue without it. */
export const FILTER_STEP = "filter system calls";

/** Wants no_new_privs or CAP_SYS_ADMIN. */
export function filterCalls(
  { table, sys }: Draft,
  { confinement, namespaces }: SandboxPolicy,
  processor: Processor,
): void {
  if (!confinement.filter) return;
  const program = seccompFilter({ ...confinement, namespaces, boundsMemory: boundsMemory(confinement) }, processor);
  const filter = table.bytes(encode(program));
  // struct sock_fprog: the count, and the address
  const header = table.words(program.length, 0);
  table.pointers.push({ at: header.offset + 8, to: filter });
  table.call(FILTER_STEP, sys.seccomp, [SECCOMP_SET_MODE_FILTER, 0, header]);
}
