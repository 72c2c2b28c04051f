import type { Operation } from "./operation_record.ts";

const HOUR_MS = 60 * 60 * 1000;

/**
 * How long a task can be asked for, milliseconds from its creation: at least another hour from now while it runs, at
 * least an hour after its end. The protocol lets it grow while the task runs, and never lets a server forget earlier.
 */
export function taskTtlMs({ createdAt, endedAt }: Pick<Operation, "createdAt" | "endedAt">, now: number): number {
  const age = Math.max(0, (endedAt ?? now) - createdAt);
  return (Math.floor(age / HOUR_MS) + 2) * HOUR_MS;
}
