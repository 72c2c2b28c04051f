import assert from "node:assert/strict";
import { closedStateDirectory } from "./closed_state.ts";

Deno.test("S3 S36 grants and proofs are kept in the user's state, and nowhere that commands can write", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir());
  try {
    await Deno.mkdir(`${base}/home/.local/state`, { recursive: true });
    await Deno.mkdir(`${base}/scope`);
    await Deno.symlink(`${base}/home/.local/state`, `${base}/scope/state`);
    await Deno.symlink(`${base}/scope`, `${base}/linked`);
    const home = { HOME: `${base}/home` };
    const cases: readonly (readonly [Record<string, string>, readonly string[], string | undefined])[] = [
      [home, [`${base}/scope`], `${base}/home/.local/state/ahma/grants`],
      [{ XDG_STATE_HOME: `${base}/x` }, [`${base}/scope`], `${base}/x/ahma/grants`],
      [{}, [], undefined],
      [home, [`${base}/home`], undefined],
      [home, [`${base}/home/.local/state/ahma/grants`], undefined],
      [{ XDG_STATE_HOME: `${base}/linked` }, [`${base}/scope`], undefined],
      // It leads to a safe place now; commands can make it lead elsewhere.
      [{ XDG_STATE_HOME: `${base}/scope/state` }, [`${base}/scope`], undefined],
    ];
    for (const [environment, writable, directory] of cases) {
      assert.equal(
        closedStateDirectory(environment, writable, "grants"),
        directory,
        JSON.stringify([environment, writable]),
      );
    }
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});
