/**
 * Each step that holds commands to a list of hosts is taken away once, from the tables and the relay that the session
 * itself uses, on the kernel itself: the self-test must say what no longer holds, and no command may run.
 */
import assert from "node:assert/strict";
import { SILENT } from "../../../base/log.ts";
import { readBound } from "../../../base/network/network_bound.ts";
import { type NetworkOptions, type NetworkSockets, Relay, type RelayedNetwork } from "../../../relay/relay.ts";
import type { Reachable } from "../../../relay/reachable.ts";
import { sandboxSettings } from "../../../sandbox/_support/settings.ts";
import { removeSessionDirectories } from "../../../sandbox/directories/session_directory.ts";
import type { Table } from "../../../sandbox/launcher/image/table.ts";
import { NETWORK_STEP } from "../../../sandbox/launcher/steps/network_steps.ts";
import { FILTER_STEP } from "../../../sandbox/launcher/steps/seccomp_steps.ts";
import { prepareSandbox, type Sandbox } from "../../../sandbox/prepare_linux.ts";
import { CLONE_NEWNET, SYSTEM_CALLS } from "../../../system/syscalls.ts";
import { makeSeenDirectory } from "../../../base/_support/seen_directory.ts";
import { chooseShell } from "../../shell.ts";
import { type LauncherImage, Spawner } from "../../spawn.ts";
import { LaunchImages } from "../launch/launch_images.ts";
import { type NetworkServer, SessionNetwork } from "../network/named_network.ts";
import { NetworkOnce } from "./network_once.ts";
import { Readiness } from "./readiness.ts";

const SYS = SYSTEM_CALLS[Deno.build.arch === "aarch64" ? "aarch64" : "x86_64"];

type Entry = Table["entries"][number];

/** What is taken away. */
interface Taken {
  /** Whether a call of a table is left out: one that does nothing takes its place. */
  readonly call?: (entry: Entry, step: string) => boolean;
  /** What the relay decides in place of what it should. */
  readonly decided?: Partial<Reachable>;
}

class ReducedSpawner extends Spawner {
  readonly #taken: Taken;

  constructor(sandbox: Sandbox, taken: Taken) {
    super(sandbox.processor, sandbox.directories.root);
    this.#taken = taken;
  }

  override image(table: Table): LauncherImage {
    const whole = [...table.entries];
    whole.forEach((entry, at) => {
      const isTaken = this.#taken.call?.(entry, table.steps[entry.step] ?? "") === true;
      if (isTaken) table.entries[at] = { ...entry, number: SYS.getpid, mode: "soft" };
    });
    const image = super.image(table);
    table.entries.splice(0, whole.length, ...whole);
    return image;
  }
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
  const spawner = new ReducedSpawner(sandbox, taken);
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

function joins({ number, args }: Entry, step: string): boolean {
  return number === SYS.setns && args[1] === CLONE_NEWNET && step === NETWORK_STEP;
}

function isRestriction({ number }: Entry): boolean {
  return number === SYS.landlock_restrict_self;
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
