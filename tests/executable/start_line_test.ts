/** What the real runtime makes of the line that the stub gives it, seen by another program in an executable. */
import assert from "node:assert/strict";
import { embeddedExecutable } from "../../scripts/executable/embedded.ts";
import { ownTarget } from "../../scripts/executable/pins.ts";
import { AWAIT_SCOPE, AWAIT_SCOPE_AHEAD } from "../../src/app/http/awaited_scope.ts";
import { writeProgram } from "../../src/sandbox/launcher/_support/write_program.ts";
import { Workbench } from "../_support/workbench.ts";

const PROGRAM = `
const names = ["read", "write", "env", "run", "ffi", "sys", "net"];
const state = async (name) => (await Deno.permissions.query({ name })).state;
const states = await Promise.all(names.map(state));
console.log(JSON.stringify({
  granted: names.filter((_, index) => states[index] === "granted"),
  args: Deno.args,
  module: Deno.mainModule,
  executable: Deno.execPath(),
  standalone: Deno.build.standalone,
}));
`;

Deno.test({
  name: "S3 D1 the executable's runtime grants what the packed program's has, and a child server no network",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    using bench = new Workbench();
    const target = ownTarget(Deno.build) ?? assert.fail();
    const path = `${bench.parent}/executable`;
    const bytes = await embeddedExecutable(target, new TextEncoder().encode(PROGRAM));
    await writeProgram(path, bytes);
    const granted = ["read", "write", "env", "run", "ffi", "sys"];
    const seen = async (args: readonly string[]) => {
      const { stdout } = await new Deno.Command(path, { args: [...args], env: { HOME: bench.home } }).output();
      return JSON.parse(new TextDecoder().decode(stdout));
    };
    const same = { module: "file:///proc/self/fd/100", executable: path, standalone: false };
    for (const args of [[], ["--allow-all", "-", ""], ["--", AWAIT_SCOPE]]) {
      assert.deepStrictEqual(await seen(args), { granted: [...granted, "net"], args, ...same });
    }
    for (const args of [[AWAIT_SCOPE, "--mode=stdio"], [AWAIT_SCOPE_AHEAD]]) {
      assert.deepStrictEqual(await seen(args), { granted, args, ...same });
    }
  },
});
