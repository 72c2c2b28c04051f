/**
 * Decides whether commands may run: asks the kernel once what it supports, then runs the self-test before the first
 * command (S3). A query or test that failed temporarily is repeated for the next command.
 */
import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import { makeSocketsIn } from "../network/made_sockets.ts";
import { testNetwork } from "../network/network_trial.ts";
import type { SessionNetwork } from "../network/named_network.ts";
import type { ForeignSockets } from "../sockets/foreign_sockets.ts";
import { withoutPrivateSockets } from "../../../sandbox/policy/confinement.ts";
import type { SandboxPolicy } from "../../../sandbox/policy/policy.ts";
import type { Sandbox } from "../../../sandbox/prepare_linux.ts";
import { holdNetwork, settleNamespaces } from "./namespaces.ts";
import type { NetworkOnce } from "./network_once.ts";
import { retryLaunch } from "../launch/retry_launch.ts";
import type { LaunchImages } from "../launch/launch_images.ts";
import { canShareNetwork } from "../../../sandbox/launcher/steps/network_steps.ts";
import { logReport, runSelfTest } from "./self_test_run.ts";
import { refusalFor, type SelfTestReport } from "../../../sandbox/selftest/judge.ts";
import type { ProtectedState } from "../protection/protected_state.ts";
import type { Spawner } from "../../spawn.ts";

export interface ReadinessOptions {
  readonly sandbox: Sandbox;
  readonly spawner: Spawner;
  readonly images: LaunchImages;
  /** Undefined: `--no-sandbox`. */
  readonly protectedState: ProtectedState | undefined;
  readonly sockets: Pick<ForeignSockets, "canList" | "settle">;
  /** Serves a network by name. */
  readonly network: SessionNetwork;
  readonly once: NetworkOnce;
  /** Opens the control groups of launches, where there are any. */
  readonly groups: () => Promise<unknown>;
  readonly logger: Logger;
}

export class Readiness {
  readonly #options: ReadinessOptions;
  /** Settles when the repositories below the scopes are known; undefined: not asked yet. */
  #repositories: Promise<void> | undefined;
  #policy: Promise<SandboxPolicy | undefined> | undefined;
  #selfTest: Promise<SelfTestReport | undefined> | undefined;
  /** The result of the first launch under the whole policy, if it succeeded. */
  #found: SelfTestReport | undefined;
  /** Settles when nothing of self-tests is left. */
  #removed: Promise<unknown> = Promise.resolve();
  /** Once its self-test passed. */
  #ready: SandboxPolicy | undefined;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  /**
   * The policy in force, once the kernel was asked about namespaces; undefined: `--no-sandbox`.
   * @throws {Error} When the kernel could not be asked just now.
   */
  get policy(): Promise<SandboxPolicy | undefined> {
    return this.#policy ??= this.#settle();
  }

  /**
   * The result of the sandbox's self-test, which runs at the first call. Undefined: `--no-sandbox`.
   * @throws {Error} When it could not be made just now.
   */
  get selfTest(): Promise<SelfTestReport | undefined> {
    return this.#selfTest ??= this.#try();
  }

  /** The policy, if the self-test passed. @throws {Error} When it did not, or could not be made. */
  async policyForCommand(): Promise<SandboxPolicy | undefined> {
    const refusal = refusalFor(await this.#verdict());
    if (refusal !== undefined) throw new Error(refusal);
    await this.#options.protectedState?.refresh();
    return this.#ready = await this.policy;
  }

  /** The same without waiting; undefined: the caller must wait. */
  get readyPolicy(): SandboxPolicy | undefined {
    if (this.#ready === undefined || this.#options.protectedState?.refresh() !== undefined) return undefined;
    return this.#ready;
  }

  /** A self-test that began before this call may have failed because something that now exists was missing. */
  async #verdict(): Promise<SelfTestReport | undefined> {
    const [begun] = await Promise.allSettled([this.selfTest]);
    return begun.status === "fulfilled" ? begun.value : await this.selfTest;
  }

  /** Settles when both answers are known. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#policy, this.#selfTest]);
    await this.#removed;
  }

  #settle(): Promise<SandboxPolicy | undefined> {
    this.#repositories ??= this.#options.protectedState?.findRepositories() ?? Promise.resolve();
    const settling = this.#askKernel(this.#repositories);
    settling.catch((error) => {
      const { logger } = this.#options;
      logger.warn("The sandbox could not be tried; the next command tries again", { reason: messageOf(error) });
      this.#policy = undefined;
    });
    return settling;
  }

  /** Most machines refuse nothing: the self-test is the first launch, and nothing needs to be asked before it. */
  async #askKernel(repositories: Promise<void>): Promise<SandboxPolicy | undefined> {
    const { sandbox, spawner, images, logger } = this.#options;
    const wanted = this.#withSockets(sandbox.policy);
    await Promise.all([repositories, this.#options.groups()]);
    if (wanted?.confinement.unixSockets === "private") await this.#options.sockets.settle(wanted);
    const question = { policy: wanted, target: images.target, spawner, logger };
    const tryWhole = (policy: SandboxPolicy) => this.#testWhole(policy);
    const policy = await settleNamespaces({ ...question, tryWhole });
    const { network, once } = this.#options;
    images.shareNetwork(
      await once.hold(async () => {
        const held = await holdNetwork({ ...question, policy, networkServer: () => network.server() });
        if (held === undefined) return undefined;
        const { target } = images; // as it is before commands share the network
        const makeSockets = (family: 4 | 6) => makeSocketsIn(held, family, { spawner, target });
        network.enter({ hasIpv6: spawner.hasIpv6, makeSockets });
        return held;
      }),
    );
    return policy;
  }

  async #testWhole(policy: SandboxPolicy): Promise<boolean> {
    if (canShareNetwork(policy)) return false; // the network that the launch would join is made later
    const [tested] = await Promise.allSettled([this.#attack(policy)]);
    if (tested.status === "fulfilled") this.#found = tested.value;
    else this.#options.images.discard();
    return tested.status === "fulfilled";
  }

  #withSockets(policy: SandboxPolicy | undefined): SandboxPolicy | undefined {
    const { sockets, logger } = this.#options;
    if (policy?.confinement.unixSockets !== "private" || sockets.canList()) return policy;
    logger.warn("The kernel does not list Unix sockets: commands have none");
    return { ...policy, confinement: withoutPrivateSockets(policy.confinement) };
  }

  #try(): Promise<SelfTestReport | undefined> {
    const { logger } = this.#options;
    const testing = this.policy.then((policy) => policy && (this.#found ?? this.#attack(policy)));
    testing.then((report) => logReport(report, logger), (error) => {
      logger.warn("The sandbox's self-test could not be made; the next command tries again", {
        reason: messageOf(error),
      });
      this.#selfTest = undefined;
    });
    return testing;
  }

  async #attack(policy: SandboxPolicy): Promise<SelfTestReport> {
    const { sandbox: { directories, trialPlace: place }, spawner, images, protectedState } = this.#options;
    const [test] = await retryLaunch({
      look: () => protectedState?.look(policy),
      launch: () => {
        const table = images.policyPart(policy);
        return Promise.allSettled([runSelfTest({ policy, table, target: images.target, spawner, directories, place })]);
      },
      mayTryAgain: ([one]) => one.status === "rejected",
    });
    if (test.status === "rejected") throw test.reason;
    const removed = test.value.removed.catch((error: unknown) =>
      this.#options.logger.warn("Cannot remove files of the self-test", { error: messageOf(error) })
    );
    this.#removed = Promise.all([this.#removed, removed]);
    const { findings, milliseconds } = test.value.report;
    const began = performance.now();
    const ofNetwork = await this.#options.once.findings(async (held) => {
      const { target } = images;
      const table = images.policyPart(policy);
      const found = await testNetwork({ policy, table, target, spawner, relayed: held?.relayed });
      this.#options.network.users.forget();
      return found;
    });
    return {
      findings: [...findings, ...ofNetwork],
      milliseconds: milliseconds + (ofNetwork.length === 0 ? 0 : performance.now() - began),
    };
  }
}
