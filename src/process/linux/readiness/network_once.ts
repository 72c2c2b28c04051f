/** The network that commands share and the proof of it: made once, whatever a person allows while the session lives. */
import type { Finding } from "../../../sandbox/selftest/judge.ts";
import type { HeldNetwork } from "./namespaces.ts";

/** Disposal closes the network; no command may be left. */
export class NetworkOnce implements AsyncDisposable {
  #held: Promise<HeldNetwork | undefined> | undefined;
  #findings: readonly Finding[] | undefined;

  /** Makes it at the first call, and again where that failed. @throws {Error} What `make` throws. */
  hold(make: () => Promise<HeldNetwork | undefined>): Promise<HeldNetwork | undefined> {
    const holding = this.#held ??= make();
    holding.catch(() => this.#held = undefined);
    return holding;
  }

  /** What was found of it; `prove` is asked at the first call, and again where it failed. @throws {Error} What it throws. */
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
