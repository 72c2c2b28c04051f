/** The network that commands share, and its proof: made once per session, whatever a person allows later. */
import type { Finding } from "../../../sandbox/selftest/judge.ts";
import type { HeldNetwork } from "./namespaces.ts";

/** Disposal closes the network; no command may be left. */
export class NetworkOnce implements AsyncDisposable {
  #held: Promise<HeldNetwork | undefined> | undefined;
  #findings: readonly Finding[] | undefined;

  /** Creates it at the first call, and tries again after a failure. @throws {Error} What `make` throws. */
  hold(make: () => Promise<HeldNetwork | undefined>): Promise<HeldNetwork | undefined> {
    const holding = this.#held ??= make();
    holding.catch(() => this.#held = undefined);
    return holding;
  }

  /** The findings; `prove` runs at the first call, and again after a failure. @throws {Error} What it throws. */
  async findings(
    prove: (held: HeldNetwork | undefined) => Promise<readonly Finding[]>,
  ): Promise<readonly Finding[]> {
    return this.#findings ??= await prove(await this.#held);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const [held] = await Promise.allSettled([this.#held]);
    if (held.status === "fulfilled") held.value?.close();
  }
}
