/** The server's name once in each connection (docs/design.md, "SDK corrections": introduction). */
import { type JSONRPCMessage, SERVER_INFO_META_KEY } from "@modelcontextprotocol/server";

export class ServerIntroduction {
  #isDone = false;

  /** The message with the server's name in the first result that has it, and in no later one. */
  once(message: JSONRPCMessage): JSONRPCMessage {
    if (!("result" in message) || message.result._meta?.[SERVER_INFO_META_KEY] === undefined) return message;
    if (!this.#isDone) {
      this.#isDone = true;
      return message;
    }
    const { [SERVER_INFO_META_KEY]: _, ..._meta } = message.result._meta;
    const { _meta: __, ...result } = message.result;
    return { ...message, result: { ...result, ...Object.keys(_meta).length > 0 && { _meta } } };
  }
}
