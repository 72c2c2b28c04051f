/**
 * The server tries its own sandbox before the first command. The kernels here lie: they say that a restriction is in
 * force and do nothing, which no error could tell; only an attack that works does.
 */
import assert from "node:assert/strict";
import { SYSTEM_CALLS } from "../src/system/syscalls.ts";
import { lyingKernel } from "./_support/kernel/lying_kernel.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { runProgram } from "./_support/terminal.ts";
import { exists, usersAtHand, withUsersInTurn, Workbench } from "./_support/workbench.ts";

const SYS = SYSTEM_CALLS[Deno.build.arch === "aarch64" ? "aarch64" : "x86_64"];
const ENOSYS = 38;
const EPERM = 1;
const EOPNOTSUPP = 95;
const REFUSAL = /the sandbox does not hold on this machine\. Its self-test could read a file outside/;

for (const user of usersAtHand()) {
  Deno.test(`S3 S17 the server tests its sandbox, reports it, and leaves nothing behind, as ${user}`, async () => {
    using bench = new Workbench(user);
    const before = bench.outside();
    await using server = await ServerProcess.start(bench);
    assert.match((await server.shell("echo ran")).text, /^ran$/m);
    const { text } = await server.call("status");
    const [, denied = ""] = /^Self-test: (\d+) attacks denied in \d+ ms/m.exec(text) ?? [];
    assert.ok(Number(denied) >= 14, text);
    assert.match(text, /^Sandbox: Landlock ABI \d+.*namespaces/m);
    assert.deepStrictEqual(bench.outside(), before);
  });
}

// The same answer of the kernel is refused to each user: one user meets one of them.
const [one = "ordinary"] = usersAtHand();

Deno.test(`S3 no command runs where Landlock only pretends to be in force, as ${one}`, async () => {
  using bench = new Workbench(one);
  const kernel = await lyingKernel(bench);
  const prefix = kernel([{ call: SYS.landlock_restrict_self, errno: 0 }]);
  await using server = await ServerProcess.start(bench, { prefix, flags: ["--log-to-stderr"] });
  for (const line of ["touch planted", "touch again"]) {
    const { text, isError } = await server.shell(line);
    assert.ok(isError);
    assert.match(text, REFUSAL);
  }
  assert.deepStrictEqual([exists(`${bench.scope}/planted`), exists(`${bench.scope}/again`)], [false, false]);
  assert.match((await server.call("status")).text, /^Self-test: FAILED, commands are refused: could read a file/m);
  assert.match(
    server.stderr,
    /ERROR .* Self-test of the sandbox: FAILED, commands are refused: could read a file outside/,
  );
});

const CAUSES = [
  [ENOSYS, /built without Landlock, or a container's seccomp profile hides it\.\nUse Linux 5\.13 or later/],
  [EOPNOTSUPP, /built into this kernel but not enabled\.\nAdd "landlock" to the boot parameter lsm=/],
  [EPERM, /outer sandbox or seccomp profile refuses Landlock\.\nLeave enforcement to the outer sandbox/],
] as const;

for (const [[errno, advice], user] of withUsersInTurn(CAUSES)) {
  Deno.test(`S12 the server does not start where the kernel refuses Landlock with errno ${errno}, and says what to do, as ${user}`, async () => {
    using bench = new Workbench(user);
    const kernel = await lyingKernel(bench);
    const calls = [SYS.landlock_create_ruleset, SYS.landlock_add_rule, SYS.landlock_restrict_self];
    const prefix = kernel(calls.map((call) => ({ call, errno })));
    const { code, stdout, stderr } = await runProgram(bench, [], { prefix });
    assert.deepStrictEqual([code, stdout], [1, ""]);
    assert.match(stderr, advice);
    assert.match(stderr, /start with --no-sandbox or AHMA_NO_SANDBOX=1/);
  });
}
