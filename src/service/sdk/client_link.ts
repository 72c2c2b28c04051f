/** The client of one connection. In sessions the link bypasses the SDK; otherwise it is the SDK's server. */
import type { ClientCapabilities, Implementation, Notification, Result } from "@modelcontextprotocol/server";
import type { WireId } from "../../wire/json_rpc_message.ts";

export interface ClientLink {
  /** Whether the negotiated version has the tasks of 2025-11-25. */
  readonly hasCoreTasks: boolean;
  /** Undefined: the client has not told them, or tells them with each request. */
  getClientCapabilities(): ClientCapabilities | undefined;
  /** How the client names itself; undefined: it has not, or does so with each request. */
  getClientVersion(): Implementation | undefined;
  notification(notification: Notification, related?: Related): Promise<void>;
  /** Asks the client something. @throws {Error} When it gives no answer in time, or `signal` aborts. */
  ask(
    request: Question,
    options: Related & { readonly timeout: number; readonly signal: AbortSignal },
  ): Promise<unknown>;
  /** The result of a call as the SDK would send it. @throws {Error} When it is not a result. */
  checkedResult(result: Result): Promise<Result>;
}

/** The client's request that a message belongs to: over HTTP its stream carries the message. Absent: none. */
interface Related {
  readonly relatedRequestId?: WireId;
}

/** A request of this server to the client. */
interface Question {
  readonly method: string;
  readonly params: Record<string, unknown>;
}

/** The one version whose core has tasks. */
export const VERSION_OF_CORE_TASKS = "2025-11-25";
/** Capabilities by the version that brought them; the others were always there. */
const SINCE: Readonly<Record<string, string>> = {
  completions: "2025-03-26",
  extensions: "2025-11-25",
  tasks: VERSION_OF_CORE_TASKS,
};

/** Those of the capabilities that a version knows (docs/design.md, "SDK corrections": capabilities). */
export function knownTo(version: string, capabilities: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(capabilities).filter(([name]) => (SINCE[name] ?? "") <= version));
}
