/** Subscriptions to resources at a server of 2026-07-28, where each is a separate stream instead of a request. */
import type { Client } from "@modelcontextprotocol/client";
import type { LinkRequest } from "./link.ts";

export class ResourceListens {
  readonly #open = new Map<string, { close(): Promise<void> }>();

  /** Whether the request is one of those that this version does not know. */
  static has(client: Client, { method }: LinkRequest): boolean {
    return client.getProtocolEra() === "modern" && /^resources\/(un)?subscribe$/.test(method);
  }

  /** Does what the request would do. */
  async request(client: Client, { method, params, timeoutMs }: LinkRequest): Promise<object> {
    const uri = String(params["uri"]);
    await this.#open.get(uri)?.close();
    this.#open.delete(uri);
    if (method === "resources/subscribe") {
      this.#open.set(uri, await client.listen({ resourceSubscriptions: [uri] }, { timeout: timeoutMs }));
    }
    return {};
  }
}
