/**
 * What a client has asked its server process to remember: the level of log messages, and the resources it wants to hear
 * of. A process that comes back knows none of it, so it is asked again in the client's name (H6).
 */
import { type ClientCall, paramsOf } from "./client_calls.ts";
import type { Answer, CallRequest } from "../../child_server/pending_calls.ts";

export class ClientSubscriptions {
  #level: unknown;
  readonly #subscriptions = new Set<string>();
  #hasListed = false;

  /** The process has answered a request of the client. */
  note({ method, message }: ClientCall, answer: Answer): void {
    if ("error" in answer) return;
    const params = paramsOf(message);
    const uri = params?.["uri"];
    switch (method) {
      case "logging/setLevel":
        this.#level = params?.["level"];
        return;
      case "resources/subscribe":
        if (typeof uri === "string") this.#subscriptions.add(uri);
        return;
      case "resources/unsubscribe":
        if (typeof uri === "string") this.#subscriptions.delete(uri);
        return;
      case "resources/list":
        this.#hasListed = true;
    }
  }

  /**
   * Asks a process that came back for the same. What it does not have any more, an operation that died with the one
   * before for instance, goes to `lost`, once: the client looks again and sees. Resolves when everything is answered.
   */
  async replay(ask: (request: CallRequest) => Promise<Answer>, lost: (uri: string) => void): Promise<void> {
    const asked = [...this.#subscriptions].map(async (uri) => {
      if (!("error" in await ask({ method: "resources/subscribe", params: { uri } }))) return;
      this.#subscriptions.delete(uri);
      lost(uri);
    });
    if (this.#level !== undefined) asked.unshift(this.#ask(ask, this.#level));
    await Promise.all(asked);
  }

  /** Whether the client holds a list of resources, which a process that came back makes outdated. */
  get hasListed(): boolean {
    return this.#hasListed;
  }

  async #ask(ask: (request: CallRequest) => Promise<Answer>, level: unknown): Promise<void> {
    await ask({ method: "logging/setLevel", params: { level } });
  }
}
