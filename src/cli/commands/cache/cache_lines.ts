/** Caches as lines and as JSON. Pure. */
import { shorten } from "../../../base/visible_text.ts";
import type { ScopeCache } from "../../../sandbox/directories/scope_caches.ts";

/** A cache and the bytes of its files. */
export interface MeasuredCache extends ScopeCache {
  readonly bytes: number;
}

const DAY_MS = 86_400_000;
const LONGEST_SCOPE = 200;

/** One line a cache. `now`: milliseconds since 1970. */
export function cacheLines(caches: readonly MeasuredCache[], now: number): string {
  if (caches.length === 0) return "There is no cache\n";
  return caches.map(({ scope, path, bytes, usedAt, isUsed }) => {
    const days = Math.max(0, Math.floor((now - usedAt.getTime()) / DAY_MS));
    const used = isUsed ? "in use" : days === 0 ? "today" : days === 1 ? "yesterday" : `${days} days ago`;
    return `${sizeText(bytes).padStart(9)}  ${used.padEnd(11)}  ${shorten(scope ?? path, LONGEST_SCOPE)}\n`;
  }).join("");
}

/** All of them. */
export function cachesAsJson(caches: readonly MeasuredCache[]): string {
  const shown = caches.map(({ scope, path, bytes, usedAt, isUsed }) => ({
    scope: scope ?? null,
    path,
    bytes,
    used: usedAt.toISOString(),
    in_use: isUsed,
  }));
  return `${JSON.stringify({ caches: shown }, null, 2)}\n`;
}

function sizeText(bytes: number): string {
  return bytes < 1024 ** 2 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
