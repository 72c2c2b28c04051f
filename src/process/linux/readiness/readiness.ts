/**
 * Under which policy commands may run: settled with the kernel when it is first asked for, and tried by the self-test
 * before the first command (S3). What could not be asked or tried just now is asked again for the next command.
 */
import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import type { GuardView } from "../../../sandbox/protect/guard_view.ts";
import type { SandboxPolicy } from "../../../sandbox/policy/policy.ts";
import type { Sandbox } from "../../../sandbox/prepare_linux.ts";
import { type HeldNetwork, holdEmptyNetwork } from "./empty_network.ts";
import { GrantedPlaces } from "./grant_watch.ts";
import { launchAgain } from "../launch/retry_launch.ts";
import type { LaunchImages } from "../launch/launch_images.ts";
import { settleNamespaces } from "./namespaces.ts";
import { logReport, runSelfTest } from "./self_test_run.ts";
import { refusalFor, type SelfTestReport } from "../../../sandbox/selftest/judge.ts";
import type { SessionGuard } from "../protection/protection_monitor.ts";
import type { Spawner } from "../../spawn.ts";

export interface AdmissionOptions {
  readonly sandbox: Sandbox;
  readonly spawner: Spawner;
  readonly images: LaunchImages;
  /** Undefined: nothing is guarded. */
  readonly guard: SessionGuard | undefined;
  readonly logger: Logger;
}

export class Admission implements AsyncDisposable {
  readonly #options: AdmissionOptions;
  readonly #granted: GrantedPlaces;
  /** Settles when the repositories below the scopes are known; undefined: nobody has asked yet. */
  #repositories: Promise<void> | undefined;
  #policy: Promise<SandboxPolicy | undefined> | undefined;
  #selfTest: Promise<SelfTestReport | undefined> | undefined;
  #network: HeldNetwork | undefined;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#granted = new GrantedPlaces(options.spawner);
  }

  /**
   * The policy in force, once the kernel was asked about namespaces; undefined: `--no-sandbox`.
   * @throws {Error} When the kernel could not be asked just now.
   */
  get policy(): Promise<SandboxPolicy | undefined> {
    return this.#policy ??= this.#settle();
  }

  /**
   * What the trial of the sandbox found; it runs when it is first asked for. Undefined: `--no-sandbox`.
   * @throws {Error} When it could not be made just now.
   */
  get selfTest(): Promise<SelfTestReport | undefined> {
    return this.#selfTest ??= this.#try();
  }

  /** The policy for a command: only one that stood its trial. @throws {Error} When it did not, or there was none yet. */
  async admitted(): Promise<SandboxPolicy | undefined> {
    const refusal = refusalFor(await this.#verdict());
    if (refusal !== undefined) throw new Error(refusal);
    await this.#options.guard?.refresh();
    return await this.policy;
  }

  /** A trial that began before it was asked for here may have failed for want of what there is by now. */
  async #verdict(): Promise<SelfTestReport | undefined> {
    const [begun] = await Promise.allSettled([this.selfTest]);
    return begun.status === "fulfilled" ? begun.value : await this.selfTest;
  }

  /**
   * Looks at what is guarded and granted, for what is launched next.
   * @throws {UserError} When nothing may run, because commands could read what must stay hidden.
   */
  look(policy: SandboxPolicy | undefined): GuardView | undefined {
    const view = policy === undefined ? undefined : this.#options.guard?.look({ mounted: policy.namespaces });
    this.#options.images.adopt(view);
    if (policy !== undefined && !this.#granted.areUnchanged(policy)) this.#options.images.endWaiting();
    return view;
  }

  /** Settles when neither question is open any more. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#policy, this.#selfTest]);
  }

  /** Lets go of what was made for commands. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#options.guard?.[Symbol.dispose]();
    await this.settled();
    this.#network?.close();
  }

  #settle(): Promise<SandboxPolicy | undefined> {
    this.#repositories ??= this.#options.guard?.findRepositories() ?? Promise.resolve();
    const settling = Promise.all([this.#askKernel(), this.#repositories]).then(([policy]) => policy);
    settling.catch((error) => {
      const { logger } = this.#options;
      logger.warn("The sandbox could not be tried; the next command tries again", { reason: messageOf(error) });
      this.#policy = undefined;
    });
    return settling;
  }

  async #askKernel(): Promise<SandboxPolicy | undefined> {
    const { sandbox, spawner, images, logger } = this.#options;
    const question = { policy: sandbox.policy, target: images.target, spawner, logger };
    const policy = await settleNamespaces(question);
    this.#network ??= await holdEmptyNetwork({ ...question, policy });
    images.shareNetwork(this.#network);
    return policy;
  }

  #try(): Promise<SelfTestReport | undefined> {
    const { logger } = this.#options;
    const trial = this.policy.then((policy) => policy && this.#attack(policy));
    trial.then((report) => logReport(report, logger), (error) => {
      logger.warn("The sandbox's self-test could not be made; the next command tries again", {
        reason: messageOf(error),
      });
      this.#selfTest = undefined;
    });
    return trial;
  }

  async #attack(policy: SandboxPolicy): Promise<SelfTestReport> {
    const { sandbox: { directories, trialPlace: place }, spawner, images } = this.#options;
    const [trial] = await launchAgain({
      look: () => this.look(policy),
      launch: () => {
        const table = images.policyPart(policy);
        return Promise.allSettled([runSelfTest({ policy, table, target: images.target, spawner, directories, place })]);
      },
      mayTryAgain: ([one]) => one.status === "rejected",
    });
    if (trial.status === "rejected") throw trial.reason;
    return trial.value;
  }
}
