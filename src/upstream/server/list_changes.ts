/** Tells that a list has changed: once for each change, and only when something was listed. */
import { Emitter, type Unsubscribe } from "../../base/emitter.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { canonical } from "../definitions/definition.ts";

export class ListChanges {
  readonly #emitter: Emitter<undefined>;
  /** What was listed last, or told to be the list now; undefined: nothing was. */
  #listed: string | undefined;

  constructor(log: Logger) {
    this.#emitter = new Emitter((thrown) => log.error("A listener of a list threw", { error: messageOf(thrown) }));
  }

  /** Hears each change of what was listed. */
  subscribe(listener: () => void): Unsubscribe {
    return this.#emitter.subscribe(listener);
  }

  /** Notes what a client is listed. */
  listed(list: unknown): void {
    this.#listed = canonical(list);
  }

  /** Compares with what is the list now. */
  isNow(list: unknown): void {
    const now = canonical(list);
    if (this.#listed === undefined || this.#listed === now) return;
    this.#listed = now;
    this.#emitter.emit(undefined);
  }
}
