/** Resources whose updates one client of a session wants to hear of. */
import type { Unsubscribe } from "../../base/emitter.ts";
import { answerOf, existingAddress, sourceOf } from "../resources/resources.ts";
import type { Service } from "../service.ts";

export class Subscriptions implements Disposable {
  readonly #service: Service;
  readonly #open = new Map<string, Unsubscribe>();

  constructor(service: Service) {
    this.#service = service;
  }

  get uris(): Pick<ReadonlySet<string>, "has" | "size"> {
    return this.#open;
  }

  /** @throws {RequestError} For an address where nothing is. */
  async subscribe(uri: string): Promise<void> {
    const source = sourceOf(this.#service, uri);
    if (source === undefined) await existingAddress(this.#service, uri);
    const isNew = source !== undefined && !this.#open.has(uri);
    const unfollow = isNew ? answerOf(uri, await source.follow(uri)) : () => {};
    if (!this.#open.has(uri)) this.#open.set(uri, unfollow);
  }

  unsubscribe(uri: string): void {
    this.#open.get(uri)?.();
    this.#open.delete(uri);
  }

  [Symbol.dispose](): void {
    for (const unfollow of this.#open.values()) unfollow();
  }
}
