/**
 * Decides whether commands may run: asks what the kernel supports, and runs the self-test before the first command, or
 * behind it with a kept proof (S3). What failed for now is repeated.
 */
import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import { Timers } from "../../../base/time.ts";
import { makeSocketsIn } from "../network/maker.ts";
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
import type { KeptProof } from "../../../sandbox/selftest/kept_proof.ts";
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
  /** Absent: the self-test runs before the first command. */
  readonly proof?: KeptProof | undefined;
  readonly logger: Logger;
}

/** A first command has this time before the self-test that a kept proof puts behind it, milliseconds. */
const BEHIND_MS = 1_000;

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
  /** Set once its self-test has passed, or a kept proof held. */
  #ready: SandboxPolicy | undefined;
  /** Waits to test what a kept proof let through; undefined: nothing was. */
  #leaveBehind: (() => void) | undefined;
  readonly #timers = new Timers();
  /** The policy with everything that was wanted, if the kernel accepts it. */
  #whole: SandboxPolicy | undefined;
  /** What lets commands run untested; undefined: nothing does. */
  #trusted: KeptProof | undefined;
  /** What let commands run that no test has confirmed since. */
  #owed: KeptProof | undefined;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  /** The policy in force; undefined: `--no-sandbox`. @throws {Error} When the kernel cannot say it just now. */
  get policy(): Promise<SandboxPolicy | undefined> {
    return this.#policy ??= this.#settle();
  }

  /** The self-test's result; undefined: `--no-sandbox`. @throws {Error} When it cannot run just now. */
  get selfTest(): Promise<SelfTestReport | undefined> {
    return this.#selfTest ??= this.#try();
  }

  /** The policy, if the self-test passed. @throws {Error} When it did not, or could not be made. */
  async policyForCommand(): Promise<SandboxPolicy | undefined> {
    await Promise.allSettled([this.policy]); // only then is known whether a kept proof holds
    const trusted = this.#trusted;
    const refusal = trusted === undefined ? refusalFor(await this.#verdict()) : undefined;
    if (refusal !== undefined) throw new Error(refusal);
    await this.#options.protectedState?.refresh();
    const policy = await this.policy;
    if (this.#trusted !== trusted) return await this.policyForCommand(); // it was tested in the meantime
    return this.#ready = policy;
  }

  /** The same without waiting; undefined: the caller must wait. */
  get readyPolicy(): SandboxPolicy | undefined {
    if (this.#ready === undefined || this.#options.protectedState?.refresh() !== undefined) return undefined;
    return this.#ready;
  }

  /** A self-test that began before this call may have failed because of something that exists by now. */
  async #verdict(): Promise<SelfTestReport | undefined> {
    const [begun] = await Promise.allSettled([this.selfTest]);
    return begun.status === "fulfilled" ? begun.value : await this.selfTest;
  }

  /** Runs the self-test now, if none is to follow the first command. It does not wait for it. */
  test(): void {
    if (this.#trusted === undefined) void Promise.allSettled([this.selfTest]); // one that failed is logged and made again
  }

  /** Ends the wait for a test that is no longer needed. */
  stop(): void {
    this.#leaveBehind?.();
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
      logger.warn("The sandbox could not be tested; the next command tries again", { reason: messageOf(error) });
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
    const trusts = wanted !== undefined && this.#trusts(wanted);
    const policy = trusts ? wanted : await settleNamespaces({ ...question, tryWhole });
    this.#whole = policy === wanted ? policy : undefined;
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

  /** Asked once: what a proof let through and does not hold is tested first from then on. */
  #trusts(policy: SandboxPolicy): boolean {
    const { proof, spawner } = this.#options;
    if (this.#leaveBehind !== undefined || proof?.holds({ policy, isGrouped: spawner.groups !== undefined }) !== true) {
      return false;
    }
    this.#trusted = this.#owed = proof;
    this.#leaveBehind = this.#timers.start(BEHIND_MS, () => void this.#testBehind(proof));
    return true;
  }

  /** Commands may have run: a sandbox that the kernel no longer gives ends the server, as one that does not hold. */
  async #testBehind(proof: KeptProof): Promise<void> {
    const [tested] = await Promise.allSettled([this.selfTest]);
    this.#trusted = undefined;
    if (tested.status === "fulfilled") return;
    this.#ready = undefined;
    await proof.forget();
    this.#policy = undefined; // it is asked again, as without a proof
    const [settled] = await Promise.allSettled([this.policy]);
    if (settled.status === "fulfilled" && this.#whole === undefined) {
      return proof.broken(
        "this system no longer gives the layers that the self-test had proven. Start the server again",
      );
    }
    await Promise.allSettled([this.selfTest]);
  }

  /** What ran on a proof's word is confirmed by the first test that runs, whenever that is, or ends with the server. */
  async #judge(report: SelfTestReport | undefined): Promise<void> {
    const [refusal, owed] = [refusalFor(report), this.#owed];
    this.#owed = undefined;
    if (refusal === undefined) return await this.#keepProof(report);
    if (owed === undefined) return;
    this.#ready = undefined;
    this.#options.spawner.killDescendants(Deno.pid);
    await owed.forget();
    owed.broken(refusal);
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
    testing.then((report) => {
      logReport(report, logger);
      return this.#judge(report);
    }, (error) => {
      logger.warn("The sandbox's self-test could not be run; the next command tries again", {
        reason: messageOf(error),
      });
      this.#selfTest = undefined;
    });
    return testing;
  }

  async #keepProof(report: SelfTestReport | undefined): Promise<void> {
    const { proof, spawner } = this.#options;
    const policy = this.#whole;
    if (report === undefined || policy === undefined) return;
    await proof?.keep({ policy, isGrouped: spawner.groups !== undefined });
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
