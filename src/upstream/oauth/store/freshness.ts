/** Whether an access token is used, refreshed or over. Pure. */
import type { StoredTokens } from "./stored_login.ts";

/** A token is refreshed when this share of its life is over, or so long before its end; the later one counts. */
const SHARE = 0.8;
const LEAD_MS = 60_000;

/** `due`: still accepted, and time to refresh. */
export type Freshness = "fresh" | "due" | "expired";

/** `now`: milliseconds since 1970. A token without an end is fresh until a server refuses it. */
export function freshnessOf({ obtainedAt, expiresAt }: StoredTokens, now: number): Freshness {
  if (expiresAt === undefined) return "fresh";
  if (now >= expiresAt) return "expired";
  const dueAt = Math.max(obtainedAt + SHARE * (expiresAt - obtainedAt), expiresAt - LEAD_MS);
  return now >= dueAt ? "due" : "fresh";
}
