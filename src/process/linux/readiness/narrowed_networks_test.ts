import assert from "node:assert/strict";
import { SILENT } from "../../../base/log.ts";
import { type NetworkReach, readBound } from "../../../base/network/network_bound.ts";
import { type NetworkOptions, type NetworkSockets, Relay, type RelayedNetwork } from "../../../relay/relay.ts";
import { sandboxSettings } from "../../../sandbox/_support/settings.ts";
import { removeSessionDirectories } from "../../../sandbox/directories/session_directory.ts";
import { prepareSandbox } from "../../../sandbox/prepare_linux.ts";
import type { SandboxPolicy } from "../../../sandbox/policy/policy.ts";
import { chooseShell } from "../../shell.ts";
import { Spawner } from "../../spawn.ts";
import { LaunchImages } from "../launch/launch_images.ts";
import { type NetworkServer, SessionNetwork } from "../network/named_network.ts";
import { type NarrowedLease, NarrowedNetworks } from "./narrowed_networks.ts";

/** A relay that answers questions about every name. */
class LeakyRelay extends Relay {
  override serve(sockets: NetworkSockets, options: NetworkOptions): RelayedNetwork {
    return super.serve(sockets, { ...options, reachable: { ...options.reachable, isListed: () => true } });
  }
}

class LeakyNetwork extends SessionNetwork {
  isLeaky = false;
  readonly #leaky = new LeakyRelay({ lookup: () => Promise.resolve([]), onFailure: () => {} });

  override async server(): Promise<NetworkServer> {
    const server = await super.server();
    return this.isLeaky ? { ...server, relay: this.#leaky } : server;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.#leaky[Symbol.asyncDispose]();
    await super[Symbol.asyncDispose]();
  }
}

interface Ground {
  readonly network: LeakyNetwork;
  readonly networks: NarrowedNetworks;
  readonly lease: (policy: SandboxPolicy, bound: NetworkReach) => Promise<NarrowedLease | undefined>;
  readonly policy: SandboxPolicy;
}

async function onGround(work: (ground: Ground) => Promise<void>): Promise<void> {
  const base = await Deno.realPath(await Deno.makeTempDir());
  for (const name of ["scope", "home"]) await Deno.mkdir(`${base}/${name}`);
  const prepared = prepareSandbox(sandboxSettings(base));
  const shell = chooseShell(undefined, []);
  assert.ok(prepared.ok && prepared.value.policy !== undefined && shell.ok);
  const sandbox = prepared.value;
  const { policy } = prepared.value;
  const spawner = new Spawner(sandbox.processor, sandbox.directories.root);
  const images = new LaunchImages({ sandbox, shell: shell.value, spawner, onStale: () => {} });
  {
    await using network = new LeakyNetwork({ logger: SILENT, terminator: undefined });
    await using networks = new NarrowedNetworks({ ...{ sandbox, spawner, network }, logger: SILENT });
    const user = { images, protectedState: undefined };
    const lease: Ground["lease"] = (under, bound) => networks.lease(under, bound, user);
    await work({ network, networks, lease, policy });
  }
  images[Symbol.dispose]();
  spawner.close();
  await removeSessionDirectories(sandbox.directories);
  await Deno.remove(base, { recursive: true });
}

function list(host: string): NetworkReach {
  const read = readBound([`${host}.test`]);
  assert.ok(read.ok);
  return read.value;
}

Deno.test("S32 S43 NarrowedNetworks.lease() runs nothing where a list does not hold, and tries again later", async () => {
  await onGround(async ({ network, networks, lease: leaseOf, policy }) => {
    network.isLeaky = true;
    await assert.rejects(leaseOf(policy, list("a")), /self-test could look up a name that is not listed/);
    assert.deepStrictEqual(networks.totals, []);
    network.isLeaky = false;
    const lease = await leaseOf(policy, list("a"));
    assert.deepStrictEqual(lease?.policy.confinement.names, list("a").names);
  });
});

Deno.test("S43 NarrowedNetworks.lease() has one network for a list, sixteen at most, and closes those that nothing uses", async () => {
  await onGround(async ({ networks, lease, policy }) => {
    assert.strictEqual(await lease(policy, { network: "full", names: [] }), undefined);
    const leases: (NarrowedLease | undefined)[] = [];
    for (let at = 0; at < 16; at++) leases.push(await lease(policy, list(`a${at}`)));
    assert.strictEqual(new Set(leases.map((one) => one?.network?.network)).size, 16);
    const same = await lease(policy, list("a0"));
    assert.strictEqual(same?.network, leases[0]?.network);
    await assert.rejects(lease(policy, list("b")), /run in 16 networks of tool files, which is the limit/);
    leases[3]?.release();
    const next = await lease(policy, list("b"));
    assert.deepStrictEqual(next?.policy.confinement.names, list("b").names);
    assert.ok(!networks.totals.some(({ names }) => names[0]?.name === "a3.test"));
  });
});
