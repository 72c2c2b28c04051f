/**
 * Each step that holds commands to a list of hosts is taken away once, from the tables and the relay that the session
 * itself uses, on the kernel itself: the self-test must say what no longer holds, and no command may run. So it is with
 * Landlock where a kept proof let a command run, and the system starts no self-test for a while.
 */
import assert from "node:assert/strict";
import { SILENT } from "../../../base/log.ts";
import { readBound } from "../../../base/network/network_bound.ts";
import { type NetworkOptions, type NetworkSockets, Relay, type RelayedNetwork } from "../../../relay/relay.ts";
import type { Reachable } from "../../../relay/reachable.ts";
import { sandboxSettings } from "../../../sandbox/_support/settings.ts";
import { removeSessionDirectories } from "../../../sandbox/directories/session_directory.ts";
import { NETWORK_STEP } from "../../../sandbox/launcher/steps/network_steps.ts";
import { FILTER_STEP } from "../../../sandbox/launcher/steps/seccomp_steps.ts";
import { prepareSandbox } from "../../../sandbox/prepare_linux.ts";
import { KeptProof } from "../../../sandbox/selftest/kept_proof.ts";
import { CLONE_NEWNET, SYSTEM_CALLS } from "../../../system/syscalls.ts";
import { makeSeenDirectory } from "../../../base/_support/seen_directory.ts";
import { isRestriction, ReducedSpawner, type TakenEntry, type TakesCall } from "../../_support/reduced_spawner.ts";
import { chooseShell } from "../../shell.ts";
import type { LauncherProcess } from "../../spawn.ts";
import { LaunchImages } from "../launch/launch_images.ts";
import { type NetworkServer, SessionNetwork } from "../network/named_network.ts";
import { NetworkOnce } from "./network_once.ts";
import { Readiness } from "./readiness.ts";

const SYS = SYSTEM_CALLS[Deno.build.arch === "aarch64" ? "aarch64" : "x86_64"];

/** What is taken away. */
interface Taken {
  readonly call?: TakesCall;
  /** What the relay decides in place of what it should. */
  readonly decided?: Partial<Reachable>;
}

class ReducedRelay extends Relay {
  readonly #decided: Partial<Reachable>;

  constructor(decided: Partial<Reachable>) {
    super({ lookup: () => Promise.resolve([]), onFailure: () => {} });
    this.#decided = decided;
  }

  override serve(sockets: NetworkSockets, options: NetworkOptions): RelayedNetwork {
    return super.serve(sockets, { ...options, reachable: { ...options.reachable, ...this.#decided } });
  }
}

class ReducedNetwork extends SessionNetwork {
  readonly #relay: ReducedRelay;

  constructor({ decided = {} }: Taken) {
    super({ logger: SILENT, terminator: undefined });
    this.#relay = new ReducedRelay(decided);
  }

  override async server(): Promise<NetworkServer> {
    return { ...await super.server(), relay: this.#relay };
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.#relay[Symbol.asyncDispose]();
    await super[Symbol.asyncDispose]();
  }
}

/** What a session with a list says before its first command; "ready": it would run it. */
async function startWithout(taken: Taken): Promise<string> {
  const base = makeSeenDirectory("ahma-list-");
  for (const name of ["scope", "home"]) await Deno.mkdir(`${base}/${name}`);
  const list = readBound(["named.example.test"]);
  assert.ok(list.ok);
  const settings = sandboxSettings(base);
  const prepared = prepareSandbox({ ...settings, confinement: { ...settings.confinement, ...list.value } });
  const shell = chooseShell(undefined, []);
  assert.ok(prepared.ok && shell.ok);
  const sandbox = prepared.value;
  const spawner = new ReducedSpawner(sandbox, taken.call);
  const images = new LaunchImages({ sandbox, shell: shell.value, spawner, onStale: () => {} });
  try {
    await using network = new ReducedNetwork(taken);
    const sockets = { canList: () => true, settle: () => Promise.resolve() };
    await using once = new NetworkOnce();
    const readiness = new Readiness({
      groups: () => Promise.resolve(),
      ...{ sandbox, spawner, images, network, once, sockets },
      protectedState: undefined,
      logger: SILENT,
    });
    const said = await readiness.policyForCommand().then(() => "ready", ({ message }: Error) => message);
    await readiness.settled();
    return said;
  } finally {
    images[Symbol.dispose]();
    spawner.close();
    await removeSessionDirectories(sandbox.directories);
    await Deno.remove(base, { recursive: true });
  }
}

const MAKING = "make a network by name";

function joins({ number, args }: TakenEntry, step: string): boolean {
  return number === SYS.setns && args[1] === CLONE_NEWNET && step === NETWORK_STEP;
}

/** By the step that is taken away: what the self-test could do, each a part of its words. */
const STEPS: Readonly<Record<string, readonly [Taken, readonly string[]]>> = {
  "the network is not entered": [{ call: joins }, [
    "look up a name that is not listed",
    "send a datagram out",
    "reach the loopback of the machine",
  ]],
  "addresses of names lead nowhere": [
    { call: (_, step) => step === `${MAKING}: addresses of IPv4` },
    ["not reach what stands for names"],
  ],
  "nothing listens for connections": [
    { call: ({ number }, step) => number === SYS.listen && step === MAKING },
    ["not reach what stands for names"],
  ],
  "nothing listens for questions": [
    { call: ({ number, args }, step) => number === SYS.bind && args[0] === 100 && step === MAKING },
    ["not look up a listed name", "look up a name that is not listed"],
  ],
  "every name is answered": [{ decided: { isListed: () => true } }, ["look up a name that is not listed"]],
  "no name is answered": [{ decided: { isListed: () => false } }, ["not look up a listed name"]],
  "every name is passed on": [{ decided: { find: () => ({ anyProtocol: true }) } }, [
    "connect to a name that is not listed",
  ]],
  "addresses are not checked": [{ decided: { addressProblem: () => undefined } }, [
    "reach this machine or its networks by a name",
  ]],
  "system calls are not filtered": [{ call: (_, step) => step === FILTER_STEP }, ["reach the user's key ring"]],
  "Landlock is not enforced": [{ call: isRestriction }, ["read a file outside"]],
  "neither the network nor Landlock hides abstract sockets": [
    { call: (entry, step) => joins(entry, step) || isRestriction(entry) },
    ["connect to an abstract socket outside"],
  ],
};

Deno.test("S32 a session whose list holds is ready: the control", async () => {
  assert.strictEqual(await startWithout({}), "ready");
});

for (const [step, [taken, could]] of Object.entries(STEPS)) {
  Deno.test(`S32 no command runs where ${step}, and the self-test says what it could do`, async () => {
    const said = await startWithout(taken);
    assert.match(said, /^the sandbox does not hold on this machine\. Its self-test could .*\. No command is run/);
    assert.deepStrictEqual(could.filter((one) => !said.includes(one)), [], said);
  });
}

/** Starts nothing while the system is short, and ends none of the processes that other tests started. */
class ShortSpawner extends ReducedSpawner {
  isShort = true;
  readonly ended: number[] = [];

  override start(...how: Parameters<ReducedSpawner["start"]>): LauncherProcess {
    if (this.isShort) throw new Error("Cannot start a process: Resource temporarily unavailable");
    return super.start(...how);
  }

  override killDescendants(pid: number): void {
    this.ended.push(pid);
  }
}

/** What becomes of a first command that a proof lets through, and of the next one once self-tests can run again. */
async function letThrough(takes: TakesCall | undefined) {
  const base = makeSeenDirectory("ahma-word-");
  for (const name of ["scope", "home", "proofs"]) await Deno.mkdir(`${base}/${name}`, { mode: 0o700 });
  const prepared = prepareSandbox(sandboxSettings(base));
  const shell = chooseShell(undefined, []);
  assert.ok(prepared.ok && shell.ok);
  const sandbox = prepared.value;
  const { policy } = sandbox;
  assert.ok(policy);
  const spawner = new ShortSpawner(sandbox, takes);
  const images = new LaunchImages({ sandbox, shell: shell.value, spawner, onStale: () => {} });
  const told: string[] = [];
  const judged = Promise.withResolvers<void>();
  const proof = new KeptProof({
    directory: () => `${base}/proofs`,
    program: () => [Deno.execPath()],
    onBroken: (why) => {
      told.push(why);
      judged.resolve();
    },
    log: SILENT,
  });
  const untested = Promise.withResolvers<void>();
  const warn = (message: string) => {
    if (message.startsWith("The sandbox's self-test could not be run")) untested.resolve();
  };
  await using network = new SessionNetwork({ logger: SILENT, terminator: undefined });
  await using once = new NetworkOnce();
  await proof.keep({ policy, isGrouped: false });
  const sockets = { canList: () => true, settle: () => Promise.resolve() };
  const readiness = new Readiness({
    ...{ sandbox, spawner, images, network, once, sockets, proof },
    groups: () => Promise.resolve(),
    protectedState: undefined,
    logger: { ...SILENT, warn },
  });
  const said = () => readiness.policyForCommand().then(() => "ran", ({ message }: Error) => message);
  try {
    const first = await said();
    await untested.promise;
    const early = [...told];
    spawner.isShort = false;
    const next = await said();
    await (takes === undefined ? readiness.settled() : judged.promise);
    return { first, early, next, told, ended: spawner.ended, isProven: proof.holds({ policy, isGrouped: false }) };
  } finally {
    readiness.stop();
    await readiness.settled();
    images[Symbol.dispose]();
    spawner.close();
    await removeSessionDirectories(sandbox.directories);
    await Deno.remove(base, { recursive: true });
  }
}

Deno.test("S3 what ran on a proof's word is judged by the first self-test that can run, and ends with the server", async () => {
  const { next, told, ...rest } = await letThrough(isRestriction);
  assert.match(next, /^the sandbox does not hold on this machine\. Its self-test could .*read a file outside/);
  assert.deepStrictEqual(told, [next]);
  assert.deepStrictEqual(rest, { first: "ran", early: [], ended: [Deno.pid], isProven: false });
});

Deno.test("S3 where the first self-test that can run confirms what ran on a proof's word, commands go on", async () => {
  const { isProven: _kept, ...seen } = await letThrough(undefined); // it is kept later
  assert.deepStrictEqual(seen, { first: "ran", early: [], next: "ran", told: [], ended: [] });
});
