/** What the files of a control group say (Documentation/admin-guide/cgroup-v2.rst). Pure. */
import type { TreeUsage } from "../../base/command/tree_usage.ts";

/** Texts of the files; undefined: the kernel does not have one. */
export interface GroupTexts {
  /** `cpu.stat` now and when the command began. */
  readonly processor: string | undefined;
  readonly processorBefore: string | undefined;
  readonly memoryPeak: string | undefined;
  /** False: the peak may be that of an earlier command. */
  readonly peakIsOwn: boolean;
  readonly memoryEvents: string | undefined;
  /** `pids.events` now and when the command began. */
  readonly taskEvents: string | undefined;
  readonly taskEventsBefore: string | undefined;
}

/** The limits of the group. */
export interface GroupLimits {
  /** Bytes; undefined: those of all commands together. */
  readonly memory: number | undefined;
  /** Undefined: those of all commands together. */
  readonly tasks: number | undefined;
}

export function usageFrom(texts: GroupTexts, limits: GroupLimits): TreeUsage {
  const since = (now: string | undefined, before: string | undefined, key: string) =>
    (valueOf(now, key) ?? 0) - (valueOf(before, key) ?? 0);
  const isKilled = (valueOf(texts.memoryEvents, "oom_kill") ?? 0) > 0;
  // A kill ends the group, so no earlier command came this far.
  const peak = texts.memoryPeak === undefined || !(texts.peakIsOwn || isKilled) ? undefined : Number(texts.memoryPeak);
  const refused = since(texts.taskEvents, texts.taskEventsBefore, "max");
  return {
    ...texts.processor !== undefined && {
      processorMs: Math.round(since(texts.processor, texts.processorBefore, "usage_usec") / 1000),
    },
    ...peak !== undefined && Number.isFinite(peak) && { memoryPeakBytes: peak },
    ...isKilled && {
      outOfMemory: limits.memory === undefined ? "together" : { limitBytes: limits.memory },
    },
    ...refused > 0 && limits.tasks !== undefined && { taskLimit: limits.tasks },
  };
}

/** The number behind a key in lines such as `oom_kill 1`; undefined: there is none. */
function valueOf(text: string | undefined, key: string): number | undefined {
  const line = text?.split("\n").find((one) => one.startsWith(`${key} `));
  return line === undefined ? undefined : Number(line.slice(key.length + 1));
}
