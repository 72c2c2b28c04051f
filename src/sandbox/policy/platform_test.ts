import assert from "node:assert/strict";
import { backEndOf } from "./platform.ts";

Deno.test("S12 backEndOf() chooses what starts commands, and knows no other system", () => {
  const chosen = ["linux", "darwin", "freebsd"].map((os) => backEndOf({ os }));
  assert.deepStrictEqual(chosen, [
    { ok: true, value: "launcher" },
    { ok: true, value: "seatbelt" },
    { ok: false, problem: 'Cannot run on "freebsd": commands are started on Linux and macOS only' },
  ]);
});

Deno.test("S19 backEndOf() refuses Windows, says why, and names the way out that there is", () => {
  const refused = backEndOf({ os: "windows" });
  assert.ok(!refused.ok && /no sandbox/.test(refused.problem) && /WSL 2/.test(refused.problem));
});
