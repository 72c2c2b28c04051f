import { strict as assert } from "node:assert";
import type { PinnedDirectory } from "../../sandbox/policy/policy.ts";
import { HANDSHAKING, nextScopeState, type ScopeEvent, type ScopeFacts, type ScopeState } from "./scope_state.ts";

const A: PinnedDirectory = { path: "/a", device: 1n, inode: 1n };
const B: PinnedDirectory = { path: "/b", device: 1n, inode: 2n };
const FACTS: ScopeFacts = { hasRoots: true, fallback: undefined, timeoutMs: 45_000 };

function run(facts: ScopeFacts, ...events: readonly ScopeEvent[]): ScopeState {
  return events.reduce((state, event) => nextScopeState(state, event, facts), HANDSHAKING);
}

Deno.test("H3 nextScopeState() asks for roots, and takes the first usable answer for good", () => {
  assert.deepStrictEqual(run(FACTS, { kind: "initialized" }), { kind: "asking" });
  const locked = run(
    FACTS,
    { kind: "initialized" },
    { kind: "settled", directory: A },
    { kind: "settled", directory: B },
    { kind: "unusable", problem: "x" },
    { kind: "too_late" },
    { kind: "initialized" },
  );
  assert.deepStrictEqual(locked, { kind: "locked", scopes: [A] });
});

Deno.test("H3 a client without roots gets the given scope, or a problem that says what to do", () => {
  const without = { ...FACTS, hasRoots: false };
  assert.deepStrictEqual(run({ ...without, fallback: [A] }, { kind: "initialized" }), {
    kind: "locked",
    scopes: [A],
  });
  const empty = { ...FACTS, fallback: [A] };
  assert.deepStrictEqual(run(empty, { kind: "initialized" }, { kind: "no_root" }), {
    kind: "locked",
    scopes: [A],
  });
  const noRoot = run(FACTS, { kind: "initialized" }, { kind: "no_root" });
  assert.ok(noRoot.kind === "refused");
  assert.match(noRoot.problem, /list of roots is empty/);
  const refused = run(without, { kind: "initialized" }, { kind: "settled", directory: B });
  assert.ok(refused.kind === "refused");
  assert.match(refused.problem, /declares no roots.*--sandbox-scope DIR/);
});

Deno.test("H3 nextScopeState() says what is missing when the time is over", () => {
  const silent = run(FACTS, { kind: "too_late" });
  const asked = run(FACTS, { kind: "initialized" }, { kind: "too_late" }, { kind: "settled", directory: B });
  assert.ok(silent.kind === "refused" && asked.kind === "refused");
  assert.match(silent.problem, /not sent notifications\/initialized after 45 s/);
  assert.match(asked.problem, /not answered roots\/list after 45 s.*GET/);
});
