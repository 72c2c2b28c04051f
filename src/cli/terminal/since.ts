import { UsageError } from "../../base/errors.ts";

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** How long ago `--since` means, milliseconds. @throws {UsageError} When it says no time. */
export function sinceMs(since: string): number {
  const [, count, unit = ""] = /^(\d{1,4})([hdw])$/.exec(since) ?? [];
  if (count !== undefined) return Number(count) * (UNITS[unit] ?? 0);
  throw new UsageError(`Cannot use --since "${since}": expected hours, days or weeks, as in 12h, 7d, 2w`);
}
