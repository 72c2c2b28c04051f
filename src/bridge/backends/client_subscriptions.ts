/** What a client set at its child server, log level and subscriptions, to be sent to a restarted one again (H6). */
import { type ClientCall, paramsOf } from "./client_calls.ts";
import type { Answer, CallRequest } from "../../child_server/pending_calls.ts";

export class ClientSubscriptions {
  #level: unknown;
  readonly #subscriptions = new Set<string>();
  #hasListed = false;

  /** Takes note of a request of the client that the server has answered. */
  note({ method, message }: ClientCall, answer: Answer): void {
    if ("error" in answer) return;
    const params = paramsOf(message);
    const uri = params?.["uri"];
    if (method === "logging/setLevel") this.#level = params?.["level"];
    if (method === "resources/list") this.#hasListed = true;
    if (typeof uri !== "string") return;
    if (method === "resources/subscribe") this.#subscriptions.add(uri);
    if (method === "resources/unsubscribe") this.#subscriptions.delete(uri);
  }

  /** Sends the state to a restarted server. `lost` gets each resource that is gone, so that it is read again. */
  async replay(ask: (request: CallRequest) => Promise<Answer>, lost: (uri: string) => void): Promise<void> {
    const asked = [...this.#subscriptions].map(async (uri) => {
      if (!("error" in await ask({ method: "resources/subscribe", params: { uri } }))) return;
      this.#subscriptions.delete(uri);
      lost(uri);
    });
    const level = this.#level;
    await Promise.all([level !== undefined && ask({ method: "logging/setLevel", params: { level } }), ...asked]);
  }

  /** Whether the client holds a list of resources, which a restart makes outdated. */
  get hasListed(): boolean {
    return this.#hasListed;
  }
}
