import assert from "node:assert/strict";
import { SILENT } from "../../../base/log.ts";
import { confinementHere, DEFAULT_CONFINEMENT } from "../../../sandbox/policy/confinement.ts";
import { COUNT_STEP } from "../../../sandbox/launcher/steps/limit_steps.ts";
import { SHARED_MEMORY_STEP } from "../../../sandbox/launcher/steps/mount_steps.ts";
import { NETWORK_STEP } from "../../../sandbox/launcher/steps/network_steps.ts";
import { FILTER_STEP } from "../../../sandbox/launcher/steps/seccomp_steps.ts";
import { launchTable, policyTable } from "../../../sandbox/launcher/policy_table.ts";
import { type Processor, SYSTEM_CALLS } from "../../../system/syscalls.ts";
import type { Table } from "../../../sandbox/launcher/image/table.ts";
import { Libc } from "../../../system/libc.ts";
import { READABLE_TREE, SHARED_MEMORY } from "../../../sandbox/policy/landlock.ts";
import { missingLayers } from "../../../sandbox/launcher/policy_fallback.ts";
import type { SandboxPolicy } from "../../../sandbox/policy/policy.ts";
import { settleNamespaces } from "./namespaces.ts";
import { ReportReader } from "../launch/launcher_reports.ts";
import { type LauncherImage, Spawner } from "../../spawn.ts";

const PROCESSOR: Processor = Deno.build.arch === "aarch64" ? "aarch64" : "x86_64";
const TARGET = { processor: PROCESSOR, serverPid: Deno.pid };

/** A kernel that lacks some of the calls: the steps of these names ask for one that no kernel has. */
class PoorKernel extends Spawner {
  readonly #lacking: readonly string[];

  constructor(directory: string, lacking: readonly string[]) {
    super(PROCESSOR, directory);
    this.#lacking = lacking;
  }

  override image(table: Table): LauncherImage {
    table.entries.forEach((entry, index) => {
      const lacks = this.#lacking.includes(table.steps[entry.step] ?? "");
      if (lacks) table.entries[index] = { ...entry, number: 9999 };
    });
    return super.image(table);
  }
}

interface Ground extends AsyncDisposable {
  readonly scope: string;
  readonly policy: SandboxPolicy;
  kernel(lacking: readonly string[]): Spawner;
}

async function ground(): Promise<Ground> {
  const scope = await Deno.realPath(await Deno.makeTempDir());
  const libc = new Libc();
  const identity = libc.identityOf(scope);
  assert.ok(identity !== undefined);
  const policy: SandboxPolicy = {
    writable: [{ path: scope, ...identity }],
    grants: [{ path: "/usr", kind: "directory", rights: READABLE_TREE }],
    abi: libc.landlockAbi(),
    namespaces: true,
    keptCapabilities: [],
    confinement: confinementHere({ ...DEFAULT_CONFINEMENT, network: "localhost" }, libc),
    user: { uid: Deno.uid() ?? 0, gid: Deno.gid() ?? 0 },
  };
  libc[Symbol.dispose]();
  return {
    scope,
    policy,
    kernel: (lacking) => new PoorKernel(scope, lacking),
    [Symbol.asyncDispose]: () => Deno.remove(scope, { recursive: true }),
  };
}

Deno.test("S8 settleNamespaces() gives up what the kernel refuses, one layer at a time, and nothing else", async () => {
  await using place = await ground();
  const settled = async (...lacking: readonly string[]) => {
    const spawner = place.kernel(lacking);
    try {
      const policy = await settleNamespaces({ policy: place.policy, target: TARGET, spawner, logger: SILENT });
      if (policy === undefined) return undefined;
      const { network, ownNetwork, filter, countedByNamespace } = policy.confinement;
      return { namespaces: policy.namespaces, network, ownNetwork, filter, counted: countedByNamespace };
    } finally {
      spawner.close();
    }
  };
  const whole = await settled();
  const { confinement } = place.policy;
  const all = { namespaces: true, network: "localhost", ownNetwork: true, filter: true };
  assert.deepStrictEqual(whole, { ...all, counted: confinement.countedByNamespace });
  assert.deepStrictEqual(await settled(FILTER_STEP), { ...whole, filter: false });
  assert.deepStrictEqual(await settled(NETWORK_STEP), { ...whole, network: "none", ownNetwork: false });
  assert.deepStrictEqual(await settled(COUNT_STEP), { ...whole, counted: false });
  assert.deepStrictEqual(await settled("enter new namespaces"), {
    namespaces: false,
    network: "none",
    ownNetwork: false,
    filter: true,
    counted: false,
  });
  await assert.rejects(settled("enter new namespaces", FILTER_STEP), /Cannot run commands with --network none/);
  await assert.rejects(settled("enter new namespaces", "set no_new_privs"), /cannot set no_new_privs/);
});

/** A kernel that was built without IPC namespaces: it refuses a call that asks for one among others. */
class KernelWithoutIpcNamespaces extends Spawner {
  override image(table: Table): LauncherImage {
    table.entries.forEach((entry, index) => {
      const [flags] = entry.args;
      if (entry.number !== SYSTEM_CALLS[PROCESSOR].unshare || typeof flags !== "number") return;
      // CLONE_NEWIPC; the lowest bits are no flags of unshare, and it says EINVAL.
      if ((flags & 0x8000000) !== 0) table.entries[index] = { ...entry, args: [flags | 1] };
    });
    return super.image(table);
  }
}

Deno.test("S8 settleNamespaces() keeps all other namespaces where those of IPC are refused, and says what is shared", async () => {
  await using place = await ground();
  const spawner = new KernelWithoutIpcNamespaces(PROCESSOR, place.scope);
  try {
    const told: string[] = [];
    const logger = { ...SILENT, warn: (message: string) => void told.push(message) };
    const policy = await settleNamespaces({ policy: place.policy, target: TARGET, spawner, logger });
    assert.deepStrictEqual(policy, { ...place.policy, sharedIpc: true });
    const gap = "System V memory and message queues are shared with this user's other programs (no IPC namespaces)";
    assert.ok(policy !== undefined && missingLayers(place.policy, policy).includes(gap));
    assert.deepStrictEqual(new Set(told), new Set(["Sandbox incomplete on this system"]));
  } finally {
    spawner.close();
  }
});

Deno.test("S5 S8 settleNamespaces() takes /dev/shm from commands where none of their own can be mounted", async () => {
  await using place = await ground();
  const shared = { path: "/dev/shm", kind: "directory", rights: SHARED_MEMORY } as const;
  const wanted = { ...place.policy, sharedMemory: true, grants: [...place.policy.grants, shared] };
  const settled = async (lacking: readonly string[]) => {
    const spawner = place.kernel(lacking);
    try {
      return await settleNamespaces({ policy: wanted, target: TARGET, spawner, logger: SILENT });
    } finally {
      spawner.close();
    }
  };
  assert.deepStrictEqual(await settled([]), wanted); // the control
  const without = await settled([SHARED_MEMORY_STEP]);
  assert.deepStrictEqual(without, { ...wanted, sharedMemory: false, grants: place.policy.grants });
  const gap = "commands have no /dev/shm: none of their own can be mounted, and the machine's is shared by all users";
  assert.ok(missingLayers(wanted, without).includes(gap));
});

Deno.test("S3 S8 a launcher whose filter is refused ends with 126 and never starts the command", async () => {
  await using place = await ground();
  const launched = async (lacking: readonly string[], marker: string) => {
    const spawner = place.kernel(lacking);
    const table = launchTable(policyTable(place.policy, TARGET), {
      programs: ["/usr/bin/touch"],
      argv: ["touch", marker],
      environment: [],
      directory: place.scope,
    }, PROCESSOR);
    const image = spawner.image(table);
    try {
      const process = spawner.start(image, "null");
      const [{ code }, reports] = await Promise.all([
        process.status,
        new Response(process.reports).bytes(),
        process.output.cancel(),
      ]);
      const failed = new ReportReader().read(reports).find(({ kind }) => kind === "failed");
      const step = failed?.kind === "failed" ? table.steps[failed.step] : undefined;
      return { code, step, started: await exists(`${place.scope}/${marker}`) };
    } finally {
      image.dispose();
      spawner.close();
    }
  };
  assert.deepStrictEqual(await launched([], "one"), { code: 0, step: undefined, started: true });
  assert.deepStrictEqual(await launched([FILTER_STEP], "two"), { code: 126, step: FILTER_STEP, started: false });
  const counts = place.policy.confinement.countedByNamespace ? [COUNT_STEP] : [];
  for (const step of ["limit file sizes", NETWORK_STEP, ...counts, "enforce Landlock"]) {
    assert.deepStrictEqual(await launched([step], "three"), { code: 126, step, started: false });
  }
});

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
