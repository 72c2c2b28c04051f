/** What the real runtime makes of the line that the stub gives it, seen by another program in an executable. */
import assert from "node:assert/strict";
import { embeddedExecutable } from "../../scripts/executable/embedded.ts";
import { ownTarget } from "../../scripts/executable/pins.ts";
import { AWAIT_SCOPE, AWAIT_SCOPE_AHEAD } from "../../src/app/http/awaited_scope.ts";
import { WORKER_HEAP } from "../../src/app/program/worker_program.ts";
import { writeProgram } from "../../src/sandbox/launcher/_support/write_program.ts";
import { HELPER_HEAP } from "../../src/toolbox/helper/messages.ts";
import { Workbench } from "../_support/workbench.ts";

const PROGRAM = `
import v8 from "node:v8";
const names = ["read", "write", "env", "run", "ffi", "sys", "net"];
const state = async (name) => (await Deno.permissions.query({ name })).state;
const states = await Promise.all(names.map(state));
console.log(JSON.stringify({
  granted: names.filter((_, index) => states[index] === "granted"),
  args: Deno.args,
  module: Deno.mainModule,
  executable: Deno.execPath(),
  standalone: Deno.build.standalone,
  heap: Math.floor(v8.getHeapStatistics().heap_size_limit / 1_048_576),
  flags: Deno.env.get("DENO_V8_FLAGS"),
}));
`;

/** Makes an executable of that program. Its answer to words and variables is what it sees. */
async function seenBy(
  bench: Workbench,
): Promise<(args: readonly string[], env?: Record<string, string>) => Promise<Seen>> {
  const path = `${bench.parent}/executable`;
  const target = ownTarget(Deno.build) ?? assert.fail();
  await writeProgram(path, await embeddedExecutable(target, new TextEncoder().encode(PROGRAM)));
  return async (args, env = {}) => {
    const { stdout } = await new Deno.Command(path, { args: [...args], env: { HOME: bench.home, ...env } }).output();
    return JSON.parse(new TextDecoder().decode(stdout));
  };
}

interface Seen {
  /** The most that the heap of its engine may take, in MiB. */
  readonly heap: number;
  readonly flags?: string;
}

Deno.test({
  name:
    "S3 D1 K2 the executable's runtime has the permissions and the engine's flags that its line names, and no others",
  ignore: Deno.build.os !== "linux",
  fn: async (t) => {
    using bench = new Workbench();
    const see = await seenBy(bench);
    await t.step("it grants what the packed program's has, and a child server no network", async () => {
      const granted = ["read", "write", "env", "run", "ffi", "sys"];
      const seen = async (args: readonly string[]) => {
        const { heap: _heap, ...rest } = await see(args);
        return rest;
      };
      const same = { module: "file:///proc/self/fd/100", executable: `${bench.parent}/executable`, standalone: false };
      for (const args of [[], ["--allow-all", "-", ""], ["--", AWAIT_SCOPE]]) {
        assert.deepStrictEqual(await seen(args), { granted: [...granted, "net"], args, ...same });
      }
      for (const args of [[AWAIT_SCOPE, "--mode=stdio"], [AWAIT_SCOPE_AHEAD]]) {
        assert.deepStrictEqual(await seen(args), { granted, args, ...same });
      }
    });
    await t.step("the engine takes the bounds of native tools from a variable, and no other flags", async () => {
      const flagsOf = (value: string) => see([], { DENO_V8_FLAGS: value });
      const refused = await flagsOf("--max-old-space-size=100");
      assert.deepStrictEqual(refused, await see([]));
      for (const [, value] of [WORKER_HEAP, HELPER_HEAP]) {
        const bounded = await flagsOf(value);
        assert.strictEqual(bounded.flags, value);
        const [, megabytes] = /old-space-size=([0-9]+)/.exec(value) ?? [];
        assert.ok(bounded.heap >= Number(megabytes) && bounded.heap < Number(megabytes) * 2, `${bounded.heap} MiB`);
      }
    });
  },
});
