/** `resourceSubscriptions` of `subscriptions/listen` (2026-07-28): the SDK matches them, and sources must know of them. */
import type { JSONRPCMessage, MessageExtraInfo, Transport, TransportSendOptions } from "@modelcontextprotocol/server";
import type { Unsubscribe } from "../../base/emitter.ts";
import { member } from "../../wire/json_value.ts";
import type { WireId } from "../../wire/json_rpc_message.ts";
import { TransportLayer } from "../../wire/transport_wrapper.ts";
import type { Service } from "../service.ts";
import { sourceOf } from "./resources.ts";

/** Addresses of one subscription that are asked for at servers. */
const MOST_FOLLOWED = 100;

/**
 * Follows what the message subscribes to at sources, and gives what ends that; undefined: it subscribes to nothing there.
 * What a source refuses is left out: nothing is told of it.
 */
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

/** The same on a transport that carries many subscriptions. */
export class FollowedSubscriptions extends TransportLayer {
  readonly #service: Pick<Service, "resources">;
  readonly #open = new Map<WireId, Promise<Unsubscribe>>();

  constructor(inner: Transport, service: Pick<Service, "resources">) {
    super(inner);
    this.#service = service;
  }

  /** An answer ends the subscription. */
  override send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!("method" in message) && message.id !== undefined) this.#end(message.id);
    return super.send(message, options);
  }

  protected override ended(): void {
    for (const id of this.#open.keys()) this.#end(id);
  }

  protected override receive(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void {
    if ("method" in message && message.method === "notifications/cancelled") {
      this.#end(member(message.params, "requestId") as WireId); // other values are never a key
    }
    const following = followed(this.#service, message);
    if (following === undefined || !("id" in message) || message.id === undefined) {
      return this.onmessage?.(message, extra);
    }
    this.#open.set(message.id, following);
    // Acknowledged when the servers know: no change after that is missed.
    void following.then(() => this.onmessage?.(message, extra));
  }

  #end(id: WireId): void {
    void this.#open.get(id)?.then((end) => end());
    this.#open.delete(id);
  }
}
