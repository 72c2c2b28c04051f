/** The error code of a resource that is not there (docs/design.md, "SDK corrections": missing resources). */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { ResourceNotFound } from "../../wire/request_error.ts";

const RESOURCE_NOT_FOUND = -32002;
const VERSION_WITHOUT_IT = "2026-07-28";

export class MissingResources {
  /** The `data` of errors about missing resources that are on their way. */
  readonly #data = new WeakSet<object>();

  /** Notes an error that a handler threw; any other than a missing resource is ignored. */
  note(thrown: unknown): void {
    if (thrown instanceof ResourceNotFound) this.#data.add(Object(thrown.data));
  }

  /** The message with the code that `version` has for a noted error; any other message as it is. */
  withCode(message: JSONRPCMessage, version: string | undefined): JSONRPCMessage {
    if (!("error" in message) || (version ?? "") >= VERSION_WITHOUT_IT) return message;
    const isNoted = this.#data.has(Object(message.error.data));
    return isNoted ? { ...message, error: { ...message.error, code: RESOURCE_NOT_FOUND } } : message;
  }
}
