import assert from "node:assert/strict";
import { UserError } from "../../base/errors.ts";
import { httpToken } from "./http_token.ts";

async function inState(use: (state: string) => Promise<void>): Promise<void> {
  const state = await Deno.makeTempDir();
  try {
    await use(state);
  } finally {
    await Deno.remove(state, { recursive: true });
  }
}

Deno.test("H8 servers that start together where there is no token have one, and leave nothing else", () =>
  inState(async (state) => {
    const files = await Promise.all(Array.from({ length: 20 }, () => httpToken({ XDG_STATE_HOME: state }, [])));
    const kept = (await Deno.readTextFile(`${state}/ahma/http_token`)).trim();
    assert.deepStrictEqual(new Set(files.map(({ token }) => token)), new Set([kept]));
    const names = (await Array.fromAsync(Deno.readDir(`${state}/ahma`))).map(({ name }) => name);
    assert.deepStrictEqual(names, ["http_token"]);
    assert.equal(((await Deno.stat(`${state}/ahma/http_token`)).mode ?? 0) & 0o777, 0o600);
  }));

Deno.test("H8 a token is not kept where others can write", () =>
  inState(async (state) => {
    await Deno.mkdir(`${state}/ahma`);
    for (const mode of [0o777, 0o775, 0o722]) {
      await Deno.chmod(`${state}/ahma`, mode);
      await assert.rejects(httpToken({ XDG_STATE_HOME: state }, []), (thrown) =>
        thrown instanceof UserError && /no other user can write to \(0700\)/.test(thrown.message));
    }
    await Deno.chmod(`${state}/ahma`, 0o755);
    assert.match((await httpToken({ XDG_STATE_HOME: state }, [])).token, /^[0-9a-f]{64}$/);
  }));

Deno.test({
  name: "H8 a token is not kept in a directory of another user",
  ignore: Deno.uid() !== 0, // only root can make one
  fn: () =>
    inState(async (state) => {
      await Deno.mkdir(`${state}/ahma`);
      await Deno.chown(`${state}/ahma`, 65534, 65534);
      await assert.rejects(httpToken({ XDG_STATE_HOME: state }, []), /must be a directory of yours/);
    }),
});
