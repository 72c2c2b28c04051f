/**
 * The proof that the self-test passed is kept for the boot, so that a server's first command does not wait for it. The
 * kernels here lie, or refuse, by a filter of system calls that the kernel counts alike, so that no fact of the proof
 * tells them from the one it was made on: a command that runs there was let through by the proof alone.
 */
import assert from "node:assert/strict";
import { SYSTEM_CALLS } from "../src/system/syscalls.ts";
import { until, withDeadline } from "./_support/deadline.ts";
import { lyingKernel } from "./_support/kernel/lying_kernel.ts";
import { HTTP_PERMISSIONS } from "../scripts/permissions.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { runProgram } from "./_support/terminal.ts";
import { exists, usersAtHand, Workbench } from "./_support/workbench.ts";

const SYS = SYSTEM_CALLS[Deno.build.arch === "aarch64" ? "aarch64" : "x86_64"];
const EPERM = 1;
const LANDLOCK_PRETENDS = [{ call: SYS.landlock_restrict_self, errno: 0 }];
const NO_MOUNTS = [{ call: SYS.mount_setattr, errno: EPERM }];
const REFUSAL = /the sandbox does not hold on this machine\. Its self-test could read a file outside/;
const ENDED = /Ended, and every command with it: the sandbox does not hold on this machine/;

type Kernel = Awaited<ReturnType<typeof lyingKernel>>;

function proofOf(bench: Workbench): string {
  return `${bench.home}/.local/state/ahma/proofs/self-test`;
}

/** Starts a server on an honest kernel once, which leaves its proof; gives the kernel. */
async function proven(bench: Workbench): Promise<Kernel> {
  const kernel = await lyingKernel(bench);
  await using server = await ServerProcess.start(bench, { prefix: kernel([]) });
  assert.match((await server.shell("echo ran")).text, /^ran$/m);
  await until(() => exists(proofOf(bench)), 5_000, "the proof");
  return kernel;
}

/** What a server says to its first command where Landlock only pretends to be in force. */
async function firstCommand(bench: Workbench, kernel: Kernel, flags: readonly string[] = []): Promise<string> {
  await using server = await ServerProcess.start(bench, { prefix: kernel(LANDLOCK_PRETENDS), flags });
  return (await server.shell("echo ran")).text;
}

for (const user of usersAtHand()) {
  Deno.test(`S3 with a kept proof the first command does not wait, and the self-test behind it ends a server whose sandbox does not hold, as ${user}`, async () => {
    using bench = new Workbench(user);
    const kernel = await proven(bench);
    await using server = await ServerProcess.start(bench, { prefix: kernel(LANDLOCK_PRETENDS) });
    const running = server.shell("echo begun > begun; sleep 60; echo late > late").catch(() => undefined);
    await bench.appears(`${bench.scope}/begun`);
    assert.strictEqual((await server.exit()).code, 1);
    await withDeadline(running, 5_000, "the end of the command");
    assert.match(server.stderr, ENDED);
    await server.nothingLeft();
    // The proof is gone with it: the next server tests first, and runs nothing.
    assert.match(await firstCommand(bench, kernel), REFUSAL);
    assert.ok(!exists(`${bench.scope}/late`));
  });
}

Deno.test("S3 a server runs no command without a layer that was proven, and ends, where the kernel refuses it by now", async () => {
  using bench = new Workbench();
  const kernel = await proven(bench);
  await using server = await ServerProcess.start(bench, { prefix: kernel(NO_MOUNTS) });
  const first = await server.shell("echo ran > ran").catch(() => undefined);
  assert.ok(first === undefined || first.isError, first?.text);
  assert.deepStrictEqual([(await server.exit()).code, exists(`${bench.scope}/ran`)], [1, false]);
  assert.match(server.stderr, /no longer gives the layers that the self-test had proven\. Start the server again/);
  // The control: the next one asks first, and runs commands in what is left.
  await using next = await ServerProcess.start(bench, { prefix: kernel(NO_MOUNTS) });
  assert.match((await next.shell("echo ran")).text, /^ran$/m);
});

/** Each takes away what makes the proof one. */
const SPOILT: Readonly<Record<string, (path: string) => void>> = {
  "of another boot": (path) => rewrite(path, (text) => text.replace(/"boot":"./, '"boot":"_')),
  "of another kernel": (path) => rewrite(path, (text) => text.replace(/"kernel":"/, '"kernel":"9')),
  "of another program": (path) => rewrite(path, (text) => text.replace(/("program":\[\["[^"]+",\["\d+","\d)/, "$17")),
  "of another policy": (path) => rewrite(path, (text) => text.replace('"filter":true', '"filter":false')),
  "of other namespaces": (path) => rewrite(path, (text) => text.replace(/"inode":"4/, '"inode":"5')),
  "without its last byte": (path) => rewrite(path, (text) => text.slice(0, -1)),
  "that others may read": (path) => Deno.chmodSync(path, 0o640),
  "in a directory that others may enter": (path) => Deno.chmodSync(path.replace("/self-test", ""), 0o750),
  "that is a link": (path) => {
    Deno.renameSync(path, `${path}.kept`);
    Deno.symlinkSync(`${path}.kept`, path);
  },
  "in a directory that is a link": (path) => {
    const directory = path.replace("/self-test", "");
    Deno.renameSync(directory, `${directory}.kept`);
    Deno.symlinkSync(`${directory}.kept`, directory);
  },
  "with a second name": (path) => Deno.linkSync(path, `${path}.second`),
  "that is a pipe": (path) => {
    Deno.removeSync(path);
    new Deno.Command("mkfifo", { args: ["-m", "600", path] }).outputSync();
  },
  ...Deno.uid() === 0 && { "of another user": (path: string) => Deno.chownSync(path, 65534, 65534) },
};

function rewrite(path: string, change: (text: string) => string): void {
  const before = Deno.readTextFileSync(path);
  const after = change(before);
  assert.notStrictEqual(after, before);
  Deno.writeTextFileSync(path, after);
}

Deno.test("S3 only a proof that matches exactly is used, as the control shows", async (t) => {
  using bench = new Workbench();
  const kernel = await proven(bench);
  const path = proofOf(bench);
  const directory = path.replace("/self-test", "");
  const kept = await Deno.readTextFile(path);
  const restore = () => {
    Deno.removeSync(directory, { recursive: true });
    Deno.mkdirSync(directory, { mode: 0o700 });
    Deno.writeTextFileSync(path, kept, { mode: 0o600 });
  };
  for (const [what, spoil] of Object.entries<(path: string) => void>({ ...SPOILT, "control": () => {} })) {
    await t.step(what, async () => {
      restore();
      spoil(path);
      assert.match(await firstCommand(bench, kernel), what === "control" ? /^ran$/m : REFUSAL);
    });
  }
});

Deno.test("S3 with another policy, or a state that commands can write to, the test runs before the first command", async () => {
  using bench = new Workbench();
  const kernel = await proven(bench);
  for (const flags of [["--network", "none"], ["--write", `${bench.home}/.local/state`]]) {
    assert.match(await firstCommand(bench, kernel, flags), REFUSAL, flags.join(" "));
  }
  assert.match(await firstCommand(bench, kernel), /^ran$/m);
});

Deno.test("S3 L6 doctor tests the sandbox even if a proof is stored", async () => {
  using bench = new Workbench();
  const kernel = await proven(bench);
  const { code, stdout } = await runProgram(bench, ["doctor", "--json"], { prefix: kernel(LANDLOCK_PRETENDS) });
  assert.strictEqual(code, 1);
  assert.match(stdout, /FAILED, commands are refused: could read a file outside/);
});

Deno.test("S3 H11 a server over HTTP is ended by the self-test behind its kept proof too", async () => {
  using bench = new Workbench();
  const kernel = await proven(bench);
  const words = ["--mode", "http", "--http-port", "0"];
  const options = { prefix: kernel(LANDLOCK_PRETENDS), permissions: HTTP_PERMISSIONS };
  // It would serve until a signal, as it does where nothing is proven and no command runs.
  const { code, stderr } = await runProgram(bench, words, options);
  assert.strictEqual(code, 1, stderr);
  assert.match(stderr, /^Listening on /m);
  assert.match(stderr, ENDED);
});
