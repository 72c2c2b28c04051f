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
import { exists, Workbench } from "./_support/workbench.ts";

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

/** A bench whose user has a proof, and what gives it back after a test that spoilt or lost it. */
interface Proven {
  readonly bench: Workbench;
  readonly kernel: Kernel;
  readonly restore: () => void;
}

/** Starts a server on an honest kernel once, which leaves its proof. */
async function proven(bench: Workbench): Promise<Proven> {
  const kernel = await lyingKernel(bench);
  await using server = await ServerProcess.start(bench, { prefix: kernel([]) });
  assert.match((await server.shell("echo ran")).text, /^ran$/m);
  const path = proofOf(bench);
  await until(() => exists(path), 5_000, "the proof");
  const directory = path.replace("/self-test", "");
  const kept = await Deno.readTextFile(path);
  const restore = () => {
    Deno.removeSync(directory, { recursive: true });
    Deno.mkdirSync(directory, { mode: 0o700 });
    Deno.writeTextFileSync(path, kept, { mode: 0o600 });
  };
  return { bench, kernel, restore };
}

/** What a server says to its first command where Landlock only pretends to be in force. */
async function firstCommand({ bench, kernel }: Proven, flags: readonly string[] = []): Promise<string> {
  await using server = await ServerProcess.start(bench, { prefix: kernel(LANDLOCK_PRETENDS), flags });
  return (await server.shell("echo ran")).text;
}

// What decides is alike for each user: the first test is one's, those below are the other's.
Deno.test("S3 with a kept proof the first command does not wait, and the self-test behind it ends a server whose sandbox does not hold", async () => {
  using bench = new Workbench("ordinary");
  const { kernel, ...rest } = await proven(bench);
  await using server = await ServerProcess.start(bench, { prefix: kernel(LANDLOCK_PRETENDS) });
  const running = server.shell("echo begun > begun; sleep 60; echo late > late").catch(() => undefined);
  await bench.appears(`${bench.scope}/begun`);
  assert.strictEqual((await server.exit()).code, 1);
  await withDeadline(running, 5_000, "the end of the command");
  assert.match(server.stderr, ENDED);
  await server.nothingLeft();
  // The proof is gone with it: the next server tests first, and runs nothing.
  assert.match(await firstCommand({ kernel, ...rest }), REFUSAL);
  assert.ok(!exists(`${bench.scope}/late`));
});

async function refusedLayer({ bench, kernel }: Proven): Promise<void> {
  await using server = await ServerProcess.start(bench, { prefix: kernel(NO_MOUNTS) });
  const first = await server.shell("echo ran > ran").catch(() => undefined);
  assert.ok(first === undefined || first.isError, first?.text);
  assert.deepStrictEqual([(await server.exit()).code, exists(`${bench.scope}/ran`)], [1, false]);
  assert.match(server.stderr, /no longer gives the layers that the self-test had proven\. Start the server again/);
  // The control: the next one asks first, and runs commands in what is left.
  await using next = await ServerProcess.start(bench, { prefix: kernel(NO_MOUNTS) });
  assert.match((await next.shell("echo ran")).text, /^ran$/m);
}

/** Each takes away what makes the proof one; KeptProof and proofText() have tests of all that does. */
const SPOILT: Readonly<Record<string, (path: string) => void>> = {
  "of another boot": (path) => {
    const text = Deno.readTextFileSync(path);
    assert.match(text, /"boot":"[^_]/);
    Deno.writeTextFileSync(path, text.replace(/"boot":"./, '"boot":"_'));
  },
  "control": () => {},
};

interface Check {
  readonly id: string;
  readonly status: string;
  readonly message: string;
}

async function testedByDoctor({ bench, kernel }: Proven): Promise<void> {
  const { code, stdout } = await runProgram(bench, ["doctor", "--json"], { prefix: kernel(LANDLOCK_PRETENDS) });
  const { ok, checks }: { ok: boolean; checks: readonly Check[] } = JSON.parse(stdout);
  const found = checks.find(({ id }) => id === "self_test");
  assert.deepStrictEqual([code, ok, found?.status], [1, false, "failed"]);
  assert.match(found?.message ?? "", /^FAILED, commands are refused: could read a file outside/);
}

async function endedOverHttp({ bench, kernel }: Proven): Promise<void> {
  const words = ["--mode", "http", "--http-port", "0"];
  const options = { prefix: kernel(LANDLOCK_PRETENDS), permissions: HTTP_PERMISSIONS };
  // It would serve until a signal, as it does where nothing is proven and no command runs.
  const { code, stderr } = await runProgram(bench, words, options);
  assert.strictEqual(code, 1, stderr);
  assert.match(stderr, /^Listening on /m);
  assert.match(stderr, ENDED);
}

Deno.test("S3 what is proven by one server is proven for the same only", async (t) => {
  using bench = new Workbench();
  const known = await proven(bench);
  const step = (name: string, run: () => Promise<void>) => {
    known.restore();
    return t.step(name, run);
  };
  await step("S3 L6 doctor tests the sandbox even if a proof is stored", () => testedByDoctor(known));
  await step(
    "S3 a server ends, and runs no command, where the kernel refuses a proven layer",
    () => refusedLayer(known),
  );
  for (const [what, spoil] of Object.entries(SPOILT)) {
    await step(`S3 only a proof that matches exactly is used: ${what}`, async () => {
      spoil(proofOf(bench));
      assert.match(await firstCommand(known), what === "control" ? /^ran$/m : REFUSAL);
    });
  }
  await step("S3 the test runs before the first command where commands can write the proof", async () => {
    assert.match(await firstCommand(known, ["--write", `${bench.home}/.local/state`]), REFUSAL);
  });
  await step("S3 H11 the self-test behind a kept proof ends a server over HTTP too", () => endedOverHttp(known));
});
