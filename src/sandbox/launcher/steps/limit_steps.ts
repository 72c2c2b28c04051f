/** Limits of what one command may use (S10): the kernel ends or refuses it, and the server keeps running. */
import { boundsMemory, RESOURCE } from "../../policy/confinement.ts";
import type { SandboxPolicy } from "../../policy/policy.ts";
import { type Draft, writeText } from "./identity_steps.ts";

const WORDS: Readonly<Record<keyof typeof RESOURCE, string>> = {
  cpuSeconds: "processor time",
  fileSize: "file sizes",
  memory: "memory",
  stack: "the stack",
  core: "core dumps",
  processes: "processes",
  openFiles: "open files",
};
/** RESERVED_PIDS (linux/pid.h): numbers that are given out once, and not again. */
const RESERVED_PIDS = 300;
const PID_MAX_LIMIT = 4 * 1024 * 1024;

/** What the kernel gives a first process (_STK_LIM): the C library sizes the stacks of threads by it. */
const USUAL_STACK = 8 * 1024 ** 2;

/** When memory runs out, the kernel ends a command first, never the server. */
const FIRST_TO_GO = "1000";

/** The step by name, for callers that continue without it. */
export const COUNT_STEP = "limit the processes of the namespace";

/** What is written to /proc once a private one is mounted. Process ids run out in the namespace, for root too. */
export function writeLimits(draft: Draft, { confinement }: SandboxPolicy): void {
  goFirst(draft);
  const { limits, countedByNamespace } = confinement;
  if (limits.processes === undefined || !countedByNamespace) return;
  const highest = Math.min(limits.processes + RESERVED_PIDS, PID_MAX_LIMIT);
  writeText(draft, COUNT_STEP, { path: "/proc/sys/kernel/pid_max", text: String(highest), mode: "fatal" });
}

/** Limits of the calling process and of all that come from it. */
export function limitResources(draft: Draft, policy: SandboxPolicy): void {
  const { limits, ceilings } = policy.confinement;
  setLimit(draft, "core", 0);
  for (const name of ["fileSize", "openFiles", "memory", "cpuSeconds"] as const) {
    const limit = limits[name];
    if (limit !== undefined) setLimit(draft, name, Math.min(limit, ceilings[name] ?? Infinity));
  }
  if (boundsMemory(policy.confinement)) limitStack(draft, policy);
  const processes = processLimit(policy);
  if (processes !== undefined) setLimit(draft, "processes", Math.min(processes, ceilings.processes ?? Infinity));
  if (!policy.namespaces) goFirst(draft); // with them it is done
}

/** Where /proc may not be written the kernel chooses by size alone, as it would without us. */
function goFirst(draft: Draft): void {
  const [path, text] = ["/proc/self/oom_score_adj", FIRST_TO_GO];
  writeText(draft, "go first when memory runs out", { path, text, mode: "soft" });
}

/** The kernel counts an ordinary user's processes by user namespace, or of the machine; root's never (fork.c). */
function processLimit({ confinement, namespaces, user }: SandboxPolicy): number | undefined {
  const { limits, tasksAtStart } = confinement;
  if (user.uid === 0 || limits.processes === undefined) return undefined;
  return namespaces ? limits.processes : limits.processes + tasksAtStart;
}

/** A process may ask for a larger stack, which the limit of memory does not count, but for no more than that limit. */
function limitStack(draft: Draft, { confinement: { limits, ceilings, stack = USUAL_STACK } }: SandboxPolicy): void {
  const hard = Math.min(limits.memory ?? Infinity, ceilings.stack ?? Infinity);
  setLimit(draft, "stack", Math.min(stack, hard), hard);
}

function setLimit({ table, sys }: Draft, name: keyof typeof RESOURCE, limit: number, highest = limit): void {
  // One second of processor time more, so that SIGXCPU comes first and says what it was.
  const hard = name === "cpuSeconds" ? limit + 1 : highest;
  table.call(`limit ${WORDS[name]}`, sys.prlimit64, [0, RESOURCE[name], table.words(limit, hard), 0]);
}
