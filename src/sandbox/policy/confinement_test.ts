import assert from "node:assert/strict";
import { confinementHere, DEFAULT_CONFINEMENT, isNetworkOpen, type Machine } from "./confinement.ts";
import { missingLayers, narrowed, tooOpen } from "../launcher/policy_fallback.ts";
import type { SandboxPolicy } from "./policy.ts";

/** Soft and hard limits by number. */
const LIMITS: Readonly<Record<number, readonly [soft: number | undefined, hard: number | undefined]>> = {
  1: [undefined, 1_000_000],
  3: [8_388_608, undefined],
  6: [1, 96_365],
  7: [1024, 20_000],
};

function machine(release: string): Machine {
  const files: Record<string, string> = {
    "/proc/sys/kernel/osrelease": release,
    "/proc/loadavg": "0.50 0.40 0.30 3/417 12345\n",
  };
  return {
    filtersCalls: () => true,
    readProc: (path) => files[path],
    limitOf(resource) {
      const [soft, hard] = LIMITS[resource] ?? [];
      return { soft, hard };
    },
  };
}

Deno.test("S10 confinementHere() asks the machine for its hard limits and its tasks", () => {
  assert.deepStrictEqual(confinementHere(DEFAULT_CONFINEMENT, machine("6.18.44-some\n")), {
    ...DEFAULT_CONFINEMENT,
    ownNetwork: false,
    filter: true,
    countedByNamespace: true,
    ceilings: { fileSize: 1_000_000, processes: 96_365, openFiles: 20_000 },
    stack: 8_388_608,
    tasksAtStart: 417,
  });
});

Deno.test("S10 confinementHere() does not count by namespace where that would change the whole machine", () => {
  const counted = (release: string) => confinementHere(DEFAULT_CONFINEMENT, machine(release)).countedByNamespace;
  const releases = ["5.13.0", "6.13.9", "6.14.0-rc1", "6.14.0", "6.18.44-x", "7.0.1", "10.1", "", "unknown"];
  assert.deepStrictEqual(releases.map(counted), [false, false, true, true, true, true, true, false, false]);
});

function policyWith(network: "full" | "localhost" | "none", namespaces = true): SandboxPolicy {
  return {
    writable: [],
    grants: [],
    abi: 7,
    namespaces,
    keptCapabilities: [],
    confinement: confinementHere({ ...DEFAULT_CONFINEMENT, network }, machine("6.18.0")),
    user: { uid: 0, gid: 0 },
  };
}

Deno.test("S6 S8 narrowed() gives up the layer whose step was refused, and keeps the others", () => {
  const policy = policyWith("localhost");
  const kept = (...steps: readonly string[]) => {
    const next = steps.reduce<SandboxPolicy | undefined>((one, step) => one && narrowed(one, step), policy);
    return next === undefined ? undefined : {
      namespaces: next.namespaces,
      network: next.confinement.network,
      ownNetwork: next.confinement.ownNetwork,
      filter: next.confinement.filter,
      counted: next.confinement.countedByNamespace,
    };
  };
  const all = { namespaces: true, network: "localhost", ownNetwork: true, filter: true, counted: true };
  assert.deepStrictEqual(kept("filter system calls"), { ...all, filter: false });
  assert.deepStrictEqual(kept("enter a network of its own"), { ...all, network: "none", ownNetwork: false });
  assert.deepStrictEqual(kept("limit the processes of the namespace"), { ...all, counted: false });
  // The first refusal may be about those of IPC alone.
  assert.deepStrictEqual(kept("enter new namespaces"), all);
  assert.ok(narrowed(policy, "enter new namespaces")?.sharedIpc);
  assert.deepStrictEqual(kept("enter new namespaces", "enter new namespaces"), {
    namespaces: false,
    network: "none",
    ownNetwork: false,
    filter: true,
    counted: false,
  });
  assert.equal(narrowed({ ...policy, namespaces: false }, "enforce Landlock"), undefined);
});

Deno.test("S6 tooOpen() lets nothing run where nothing holds the network that was chosen", () => {
  const verdict = (network: "full" | "localhost" | "none", change: Partial<SandboxPolicy["confinement"]>) => {
    const policy = policyWith(network);
    const problem = tooOpen({ ...policy, confinement: { ...policy.confinement, ...change } });
    return problem === undefined ? "may run" : problem.slice(0, 38);
  };
  assert.equal(verdict("none", { filter: false }), "may run");
  assert.equal(verdict("none", { ownNetwork: false }), "may run");
  assert.equal(verdict("full", { ownNetwork: false, filter: false }), "may run");
  assert.equal(verdict("none", { ownNetwork: false, filter: false }), "Cannot run commands with --network non");
  assert.ok(!isNetworkOpen(policyWith("full").confinement));
});

Deno.test("S6 S8 S10 missingLayers() names what a system lacks, and nothing where it has all", () => {
  const wanted = policyWith("localhost");
  assert.deepStrictEqual(missingLayers(wanted, wanted), []);
  const steps = ["enter new namespaces", "enter new namespaces", "filter system calls"];
  const settled = steps.reduce((policy, step) => narrowed(policy, step) ?? policy, wanted);
  assert.deepStrictEqual(missingLayers(wanted, settled).map((gap) => gap.slice(0, 32)), [
    "system calls are not filtered (n",
    "--network localhost became none:",
    "processes of root are not limite",
  ]);
});
