/** Resources that a client is subscribed to, in a session or by `subscriptions/listen` (2026-07-28). */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import type { Unsubscribe } from "../../base/emitter.ts";
import { answerOf, existingAddress, sourceOf } from "../resources/resources.ts";
import type { Service } from "../service.ts";
import { member } from "../../wire/json_value.ts";

export class Subscriptions implements Disposable {
  readonly #service: Service;
  readonly #open = new Map<string, Unsubscribe>();

  constructor(service: Service) {
    this.#service = service;
  }

  get uris(): Pick<ReadonlySet<string>, "has" | "size"> {
    return this.#open;
  }

  /** @throws {RequestError} For a URI without a resource. */
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

/** Addresses of one `subscriptions/listen` that are subscribed at servers. */
const MOST_FOLLOWED = 100;

/** Follows subscribed resources at their sources; undefined: none are there. Refused ones are left out. */
export function followed(
  service: Pick<Service, "resources">,
  message: JSONRPCMessage,
): Promise<Unsubscribe> | undefined {
  if (!("method" in message) || message.method !== "subscriptions/listen") return undefined;
  const uris = member(member(message.params, "notifications"), "resourceSubscriptions");
  const known = (Array.isArray(uris) ? uris : []).slice(0, MOST_FOLLOWED).filter((uri) => typeof uri === "string");
  const following = [...new Set(known)].flatMap((uri) => sourceOf(service, uri)?.follow(uri) ?? []);
  if (following.length === 0) return undefined;
  return Promise.all(following).then((all) => () => {
    for (const one of all) if (one.ok) one.value();
  });
}
