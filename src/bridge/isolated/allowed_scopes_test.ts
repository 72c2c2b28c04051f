import assert from "node:assert/strict";
import type { ChildServer } from "../../child_server/child_server.ts";
import { supportedProcessor } from "../../sandbox/policy/prerequisites.ts";
import { Libc } from "../../system/libc.ts";
import { AllowedScopes } from "./allowed_scopes.ts";

const HOOKS = { onOutput: () => undefined, onErrorLine: () => {} };
const CHILD: ChildServer = {
  write: () => Promise.resolve(),
  askToEnd: () => Promise.resolve(),
  kill: () => {},
  ended: Promise.resolve("It ended."),
};

Deno.test("H6 S1 startUnchanged() starts a server in its scope, and not in a directory that took the scope's place", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir());
  const processor = supportedProcessor(Deno.build.os, Deno.build.arch);
  assert.ok(processor.ok);
  const libc = new Libc();
  try {
    const scope = `${base}/scope`;
    await Deno.mkdir(scope);
    const allowed = new AllowedScopes({ libc, ceiling: undefined, home: undefined, allowBroad: false, reserved: [] });
    const settled = allowed.settle(scope);
    assert.ok(settled.ok);
    const start = allowed.startUnchanged([settled.value], () => Promise.resolve(CHILD));
    assert.strictEqual(await start(HOOKS), CHILD);
    await Deno.rename(scope, `${base}/moved`);
    const refused = { message: `The directory "${scope}" was replaced by another since the session began` };
    await assert.rejects(start(HOOKS), refused);
    await Deno.mkdir(scope);
    await assert.rejects(start(HOOKS), refused);
  } finally {
    libc[Symbol.dispose]();
    await Deno.remove(base, { recursive: true });
  }
});

Deno.test("H3 settle() takes a directory below the ceiling, and none outside or around the server's own", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir());
  const processor = supportedProcessor(Deno.build.os, Deno.build.arch);
  assert.ok(processor.ok);
  const libc = new Libc();
  try {
    for (const name of ["ceiling/inside", "ceiling/state/own", "outside"]) {
      await Deno.mkdir(`${base}/${name}`, { recursive: true });
    }
    const path = `${base}/ceiling`;
    const identity = libc.identityOf(path);
    assert.ok(identity !== undefined);
    const allowed = new AllowedScopes({
      libc,
      ceiling: [{ path, ...identity }],
      home: undefined,
      allowBroad: false,
      reserved: [`${path}/state/own`],
    });
    const answers = ["ceiling/inside", "ceiling/state", "outside"].map((name) => allowed.settle(`${base}/${name}`));
    assert.deepStrictEqual(answers.map((answer) => answer.ok ? answer.value.path : answer.problem), [
      `${path}/inside`,
      `Cannot use "${path}/state" as the sandbox scope: it contains "${path}/state/own", a directory of the server`,
      `Cannot use "${base}/outside" as the sandbox scope: it lies outside "${path}" (--sandbox-scope of the server)`,
    ]);
  } finally {
    libc[Symbol.dispose]();
    await Deno.remove(base, { recursive: true });
  }
});
