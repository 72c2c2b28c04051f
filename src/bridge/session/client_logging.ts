/** Whether a client hears log messages: where its server said so in its answer to `initialize`, and as it asked. */
import { isJSONRPCResultResponse, type JSONRPCMessage } from "@modelcontextprotocol/server";

/** With one of these as the least level, warnings are not wanted. */
const ABOVE_WARNING: readonly unknown[] = ["error", "critical", "alert", "emergency"];

export class ClientLogging {
  #initialize: unknown;
  #declared = false;
  #least: unknown;

  /** The client sent this. */
  asked(message: JSONRPCMessage): void {
    if (!("method" in message) || !("id" in message)) return;
    if (message.method === "initialize") this.#initialize = message.id;
    if (message.method === "logging/setLevel") this.#least = message.params?.["level"];
  }

  /** The server sent this. */
  told(message: JSONRPCMessage): void {
    if (this.#initialize === undefined || !isJSONRPCResultResponse(message) || message.id !== this.#initialize) return;
    this.#initialize = undefined;
    const { capabilities } = message.result;
    this.#declared = typeof capabilities === "object" && capabilities !== null && "logging" in capabilities;
  }

  /** Whether the client may be told a warning. */
  get takesWarnings(): boolean {
    return this.#declared && !ABOVE_WARNING.includes(this.#least);
  }
}
