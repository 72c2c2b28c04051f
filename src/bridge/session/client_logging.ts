/** Decides whether a client gets log messages, by the server's capabilities and the level that the client set. */
import { isJSONRPCResultResponse, type JSONRPCMessage } from "@modelcontextprotocol/server";
import { member } from "../../wire/json_value.ts";

/** Least levels that exclude warnings. */
const ABOVE_WARNING: readonly unknown[] = ["error", "critical", "alert", "emergency"];

export class ClientLogging {
  #initialize: unknown;
  #declared = false;
  #least: unknown;

  /** Takes note of a message of the client. */
  asked(message: JSONRPCMessage): void {
    if (!("method" in message) || !("id" in message)) return;
    if (message.method === "initialize") this.#initialize = message.id;
    if (message.method === "logging/setLevel") this.#least = message.params?.["level"];
  }

  /** Takes note of a message of the server. */
  told(message: JSONRPCMessage): void {
    if (this.#initialize === undefined || !isJSONRPCResultResponse(message) || message.id !== this.#initialize) return;
    this.#initialize = undefined;
    this.#declared = member(message.result["capabilities"], "logging") !== undefined;
  }

  /** Whether the client takes a warning. */
  get takesWarnings(): boolean {
    return this.#declared && !ABOVE_WARNING.includes(this.#least);
  }
}
