import assert from "node:assert/strict";
import { freshnessOf } from "./refresh.ts";

Deno.test("O4 freshnessOf() asks for a refresh a minute before the end, and of a short life after four fifths", () => {
  const at = (expiresAt: number | undefined, now: number) =>
    freshnessOf({ accessToken: "a", obtainedAt: 1_000_000, expiresAt }, now);
  const hour = 1_000_000 + 3_600_000;
  const seen = [hour - 60_001, hour - 60_000, hour - 1, hour].map((now) => at(hour, now));
  assert.deepStrictEqual(seen, ["fresh", "due", "due", "expired"]);
  assert.deepStrictEqual([1_001_599, 1_001_600, 1_002_000].map((now) => at(1_002_000, now)), [
    "fresh",
    "due",
    "expired",
  ]);
  assert.strictEqual(at(undefined, Number.MAX_SAFE_INTEGER), "fresh");
});
