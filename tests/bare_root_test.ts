/** A machine that lacks what a program needs (S12, L6): the start and `doctor` say what it is, or go on without it. */
import assert from "node:assert/strict";
import { ServerProcess } from "./_support/server_process.ts";
import { runProgram } from "./_support/terminal.ts";
import { usersAtHand, withUsersInTurn, Workbench } from "./_support/workbench.ts";

const DEVICES = ["null", "zero", "full", "random", "urandom"] as const;

function readOnly(place: string): string {
  return `mount --bind ${place} ${place} && mount -o remount,bind,ro ${place}`;
}

/** Runs what follows after `change` in mounts of its own. */
function changed(change: string): readonly string[] {
  return ["unshare", "-rm", "sh", "-ec", `${change}\nexec "$@"`, "sh"];
}

/** A /dev that has only these. */
function onlyDevices(bench: Workbench, names: readonly string[]): readonly string[] {
  const dev = `${bench.elsewhere}/dev`;
  const binds = names.map((name) => `: > ${dev}/${name}; mount --bind /dev/${name} ${dev}/${name}`);
  return changed([`mkdir ${dev}; mount -t tmpfs dev ${dev}`, ...binds, `mount --rbind ${dev} /dev`].join("\n"));
}

interface Doctor {
  readonly ok: boolean;
  readonly checks: readonly { readonly id: string; readonly status: string; readonly message: string }[];
}

async function doctor(bench: Workbench, prefix: readonly string[]): Promise<Doctor> {
  const { stdout, stderr } = await runProgram(bench, ["doctor", "--json"], { prefix });
  assert.doesNotMatch(stderr, /Internal error|\bat .*:\d+/);
  return JSON.parse(stdout);
}

/** What a server and a command of it say. */
async function said(bench: Workbench, prefix: readonly string[], flags: readonly string[] = []): Promise<string> {
  await using server = await ServerProcess.start(bench, { prefix, flags });
  return (await server.shell("echo ran > made; cat made")).text;
}

// Root of a namespace of its own makes each of these machines, and is alike for every user outside: one user tries one of them.
const [one = "ordinary", other = one] = usersAtHand();

for (const [flags, user] of withUsersInTurn([[], ["--no-sandbox"]])) {
  Deno.test(`S12 without /dev/null no server starts, and says what is missing: ${flags[0] ?? "sandbox"}, as ${user}`, async () => {
    using bench = new Workbench(user);
    const prefix = onlyDevices(bench, DEVICES.slice(1));
    await assert.rejects(ServerProcess.start(bench, { prefix, flags }), (error: Error) => {
      assert.match(error.message, /^Cannot start programs: \/dev\/null is missing\./m);
      assert.match(error.message, /mknod -m 666 \/dev\/null c 1 3/);
      return true;
    });
  });
}

Deno.test(`S12 a regular file in place of /dev/null is refused, and nothing is written to it, as ${one}`, async () => {
  using bench = new Workbench(one);
  const file = bench.write(`${bench.elsewhere}/file`, "as it was\n");
  const prefix = changed(`mount --bind ${file} /dev/null`);
  await assert.rejects(ServerProcess.start(bench, { prefix }), /Cannot start programs: \/dev\/null is not a device/);
  assert.strictEqual(await Deno.readTextFile(file), "as it was\n");
});

Deno.test(`L6 S12 doctor names a missing /dev/null in each check that needs it, as ${other}`, async () => {
  using bench = new Workbench(other);
  const { ok, checks } = await doctor(bench, onlyDevices(bench, DEVICES.slice(1)));
  const failed = checks.filter(({ status }) => status === "failed");
  assert.deepStrictEqual([ok, failed.map(({ id }) => id)], [false, ["server", "sandbox", "tools"]]);
  for (const { message } of failed) assert.match(message, /^Cannot start programs: \/dev\/null is missing\./);
});

Deno.test(`S12 with /dev/null alone commands run, and doctor finds the sandbox whole, as ${one}`, async () => {
  using bench = new Workbench(one);
  assert.match(await said(bench, onlyDevices(bench, ["null"])), /^ran$/m);
  await Deno.remove(`${bench.elsewhere}/dev`);
  const { ok, checks } = await doctor(bench, onlyDevices(bench, ["null"]));
  assert.deepStrictEqual([ok, checks.find(({ id }) => id === "self_test")?.status], [true, "ok"]);
});

for (const [place, user] of withUsersInTurn(["/tmp", "home"])) {
  Deno.test(`S5 S12 where ${place} is read-only commands run, and doctor tries the sandbox, as ${user}`, async () => {
    using bench = new Workbench(user);
    const places = place === "home" ? [bench.home] : ["/tmp", "/var/tmp"];
    const prefix = changed(places.map(readOnly).join("\n"));
    assert.match(await said(bench, prefix), /^ran$/m);
    const { ok, checks } = await doctor(bench, prefix);
    assert.deepStrictEqual([ok, checks.find(({ id }) => id === "write_inside")?.status], [true, "ok"]);
  });
}

Deno.test(`S12 without /proc the start says that it is to be mounted, as ${other}`, async () => {
  using bench = new Workbench(other);
  const prefix = changed("mount -t tmpfs proc /proc");
  // A clone may lie where another user reads nothing.
  const text = await Deno.readTextFile(new URL("../dist/ahma_mcp", import.meta.url));
  const script = bench.write(`${bench.parent}/start/ahma_mcp`, text);
  await Deno.chmod(script, 0o755);
  const environment = { AHMA_DENO: "/bin/sh" }; // any program: it is not started
  const { code, stderr } = await runProgram(bench, [], { prefix: [...prefix, script], environment });
  assert.deepStrictEqual([code, stderr], [
    1,
    "Cannot start ahma_mcp: /proc/self/exe cannot be opened: mount /proc\n",
  ]);
});
