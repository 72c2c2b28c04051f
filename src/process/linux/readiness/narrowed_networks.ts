/**
 * Networks of commands whose tool files narrow the session's (S43). Each is opened at its first use, proven by the
 * session's own trial, and kept for the same list only.
 */
import { UserError } from "../../../base/errors.ts";
import { lazy } from "../../../base/lazy.ts";
import type { Logger } from "../../../base/log.ts";
import { type NameList, printNameList } from "../../../base/network/name_list.ts";
import type { NetworkReach } from "../../../base/network/network_bound.ts";
import { makeNetworkFiles } from "../../../sandbox/directories/network_files.ts";
import { tooOpen } from "../../../sandbox/launcher/policy_fallback.ts";
import { narrowedPolicy } from "../../../sandbox/policy/narrowed_network.ts";
import type { Confinement } from "../../../sandbox/policy/confinement.ts";
import type { SandboxPolicy } from "../../../sandbox/policy/policy.ts";
import type { Sandbox } from "../../../sandbox/prepare_linux.ts";
import { refusalFor } from "../../../sandbox/selftest/judge.ts";
import type { SharedNetwork } from "../../../sandbox/launcher/steps/network_steps.ts";
import type { Spawner } from "../../spawn.ts";
import type { LaunchImages } from "../launch/launch_images.ts";
import { retryLaunch } from "../launch/retry_launch.ts";
import type { SessionNetwork } from "../network/named_network.ts";
import { testNetwork } from "../network/network_trial.ts";
import { type NamedTotals, NetworkUsers } from "../network/network_users.ts";
import type { ProtectedState } from "../protection/protected_state.ts";
import { type HeldNetwork, holdNetwork } from "./namespaces.ts";

export interface NarrowedNetworksOptions {
  readonly sandbox: Pick<Sandbox, "directories">;
  readonly spawner: Spawner;
  /** Its relay serves all lists. */
  readonly network: SessionNetwork;
  readonly logger: Logger;
}

/** Who asks for one: the sandbox of its command. */
export interface NarrowedUser {
  readonly images: LaunchImages;
  readonly protectedState: Pick<ProtectedState, "look"> | undefined;
}

/** What a command runs in. */
export interface NarrowedNetwork {
  readonly policy: SandboxPolicy;
  /** Undefined: each command has its own. */
  readonly network: SharedNetwork | undefined;
  readonly users: NetworkUsers;
}

/** A narrower network in use; `release` it when no process of the command is left. */
export interface NarrowedLease extends NarrowedNetwork {
  release(): void;
}

/** The totals of the names in a list of tool files. */
export interface NarrowedTotals {
  readonly names: NameList;
  readonly totals: readonly NamedTotals[];
}

/** Each has a listener for each of its ports. */
const MOST_NETWORKS = 16;

const NO_PERMISSION =
  "this server gave up the network at its start, when no tool file listed hosts. Start it again, by " +
  "its script (dist/ahma_mcp)";

interface Entry {
  readonly users: NetworkUsers;
  readonly confinement: Confinement;
  /** By the session's policy that was narrowed: it changes with what a person allows. */
  readonly policies: WeakMap<SandboxPolicy, SandboxPolicy>;
  readonly held: Promise<HeldNetwork | undefined>;
  /** Commands that run in it, or wait for it. */
  leases: number;
}

/** Disposal closes all of them; no command may be left. */
export class NarrowedNetworks implements AsyncDisposable {
  readonly #options: NarrowedNetworksOptions;
  /** By the tool file's list; the last used come last. */
  readonly #entries = new Map<string, Entry>();
  readonly #files: () => ReturnType<typeof makeNetworkFiles>;

  constructor(options: NarrowedNetworksOptions) {
    this.#options = options;
    this.#files = lazy(() => makeNetworkFiles(`${options.sandbox.directories.root}/narrowed`));
  }

  /** Of the used lists that are still open. */
  get totals(): readonly NarrowedTotals[] {
    return [...this.#entries.values()].flatMap(({ confinement: { network, names }, users: { totals } }) =>
      network === "names" ? [{ names, totals }] : []
    );
  }

  /** The network of a narrowed command; undefined: the session's. @throws {Error} When it cannot be had or proven. */
  async lease(policy: SandboxPolicy, bound: NetworkReach, user: NarrowedUser): Promise<NarrowedLease | undefined> {
    const narrow = narrowedPolicy(policy, bound);
    if (narrow === policy) return undefined;
    const key = `${bound.network} ${printNameList(bound.names)}`;
    const known = this.#entries.get(key)?.policies.get(policy);
    const whole = known ?? this.#withFiles(narrow);
    const entry = this.#entries.get(key) ?? this.#begin(whole, user);
    entry.policies.set(policy, whole);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.leases++;
    try {
      return { policy: whole, users: entry.users, network: await entry.held, release: () => entry.leases-- };
    } catch (thrown) {
      if (this.#entries.get(key) === entry) this.#entries.delete(key); // the next command tries again
      throw thrown;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#entries.values()].map((entry) => this.#close(entry)));
    this.#entries.clear();
  }

  #begin(policy: SandboxPolicy, user: NarrowedUser): Entry {
    const problem = tooOpen(policy);
    if (problem !== undefined) throw new UserError(problem);
    this.#makeRoom();
    const users = new NetworkUsers();
    const { confinement } = policy;
    return { confinement, policies: new WeakMap(), users, held: this.#open(policy, users, user), leases: 0 };
  }

  /** Closes the one that was unused for longest. */
  #makeRoom(): void {
    if (this.#entries.size < MOST_NETWORKS) return;
    const unused = this.#entries.entries().find(([, { leases }]) => leases === 0);
    if (unused === undefined) {
      throw new UserError(
        `Commands run in ${MOST_NETWORKS} networks of tool files, which is the limit: wait until one ends, or cancel it`,
      );
    }
    this.#entries.delete(unused[0]);
    void this.#close(unused[1]);
  }

  /** Only the root of a session with a list contains the files that programs use to look names up. */
  #withFiles(policy: SandboxPolicy): SandboxPolicy {
    const { root, confinement } = policy;
    if (root === undefined || root.instead !== undefined || confinement.network !== "names") return policy;
    return { ...policy, root: { ...root, instead: this.#files() } };
  }

  async #open(policy: SandboxPolicy, users: NetworkUsers, user: NarrowedUser): Promise<HeldNetwork | undefined> {
    const { spawner, logger, network } = this.#options;
    const target = { ...user.images.target, sharedNetwork: undefined };
    const networkServer = async () => {
      const { state } = await Deno.permissions.query({ name: "net" });
      if (state !== "granted") throw new UserError(NO_PERMISSION);
      return { ...await network.server(), users };
    };
    const held = await holdNetwork({ policy, target, spawner, logger, networkServer });
    try {
      await this.#prove(policy, held, user);
      users.forget();
      return held;
    } catch (thrown) {
      held?.close();
      throw thrown;
    }
  }

  async #prove(
    policy: SandboxPolicy,
    network: HeldNetwork | undefined,
    { images, protectedState }: NarrowedUser,
  ): Promise<void> {
    const { spawner } = this.#options;
    const [test] = await retryLaunch({
      look: () => protectedState?.look(policy),
      launch: () => {
        const table = images.narrowPart(policy, network);
        const relayed = network?.relayed;
        return Promise.allSettled([testNetwork({ policy, table, target: images.target, spawner, relayed })]);
      },
      mayTryAgain: ([one]) => one.status === "rejected",
    });
    if (test.status === "rejected") throw test.reason;
    const refusal = refusalFor({ findings: test.value, milliseconds: 0 });
    if (refusal !== undefined) throw new Error(refusal);
  }

  async #close({ held }: Entry): Promise<void> {
    const [opened] = await Promise.allSettled([held]);
    if (opened.status === "fulfilled") opened.value?.close();
  }
}
