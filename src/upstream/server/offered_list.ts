/** A list of what all servers offer: a change is announced once, and only after something was listed (O2). */
import { Emitter, type Unsubscribe } from "../../base/emitter.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { canonical } from "../definitions/definition.ts";
import type { ServerSet } from "./server_set.ts";

export class OfferedList<Listed> {
  readonly #set: Pick<ServerSet, "learned" | "onChange">;
  readonly #now: () => Promise<Listed>;
  readonly #emitter: Emitter<undefined>;
  /** The list that was sent first, or announced since; undefined: none. A list sent to another client never hides a change. */
  #listed: string | undefined;

  /** `now`: what clients would be listed at this moment. */
  constructor(set: Pick<ServerSet, "learned" | "onChange">, now: () => Promise<Listed>, log: Logger) {
    this.#set = set;
    this.#now = now;
    const failed = (thrown: unknown) => log.error("Cannot tell a change of a list", { error: messageOf(thrown) });
    this.#emitter = new Emitter(failed);
    set.onChange(() => void this.#compare().catch(failed));
  }

  /** Called for each change of listed items. */
  onChange(listener: () => void): Unsubscribe {
    return this.#emitter.subscribe(listener);
  }

  /** Unknown servers are asked first; slower ones follow as a list change. */
  async list(): Promise<Listed> {
    await this.#set.learned();
    const now = await this.#now();
    this.#listed ??= canonical(now);
    return now;
  }

  async #compare(): Promise<void> {
    if (this.#listed === undefined) return;
    const now = canonical(await this.#now());
    if (this.#listed === now) return;
    this.#listed = now;
    this.#emitter.emit(undefined);
  }
}
