/**
 * A session served in this process (H2). All sessions share one sandbox, one pool and one catalog; each has its own
 * connection and registry, so that no session sees another. One stdio process for all would copy each message through
 * pipes and map its ids.
 */
import type { JSONRPCMessage, Transport, TransportSendOptions } from "@modelcontextprotocol/server";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { OperationRegistry } from "../../operation/registry.ts";
import { isEnded } from "../../operation/operation.ts";
import { member } from "../../wire/json_value.ts";
import type { Backend, ClientLink, ClientMessage, OpenBackend } from "../session/backend.ts";

/** A connection of the service. */
interface Connection {
  /** Begins to read. */
  open(): Promise<void>;
  end(): Promise<void>;
}

/** A service of one session. */
export interface ServiceParts {
  readonly registry: OperationRegistry;
  /** Serves the messages of a transport. */
  readonly connect: (transport: Transport) => Connection;
  /** Ends the rest of the session after its operations have ended. */
  readonly close: () => Promise<void>;
}

interface InProcessOptions {
  /** Makes the service of a new session. `client`: its name with its version, as it says; undefined: it does not. */
  readonly makeService: (client: string | undefined) => ServiceParts;
  /** Time that operations have to end by themselves, milliseconds. */
  readonly graceMs: number;
  readonly log: Logger;
}

/** Opens sessions with this backend. */
export function inProcessBackends(options: InProcessOptions): OpenBackend {
  return (link, { clientInfo }) => new InProcessBackend(options, link, nameOf(clientInfo));
}

class InProcessBackend implements Backend {
  readonly #options: InProcessOptions;
  readonly #link: ClientLink;
  readonly #parts: ServiceParts;
  readonly #transport: LinkTransport;
  readonly #connection: Connection;
  readonly #opened: Promise<void>;

  constructor(options: InProcessOptions, link: ClientLink, client: string | undefined) {
    this.#options = options;
    this.#link = link;
    this.#parts = options.makeService(client);
    this.#transport = new LinkTransport(link);
    this.#connection = this.#parts.connect(this.#transport);
    this.#opened = this.#connection.open();
    this.#parts.registry.subscribe(({ to }) => {
      if (isEnded(to)) link.used();
    });
  }

  get isBusy(): boolean {
    const { registry } = this.#parts;
    return registry.runningCount + registry.queuedCount > 0;
  }

  async receive({ message }: ClientMessage): Promise<undefined> {
    await this.#opened;
    this.#transport.onmessage?.(message);
  }

  async finish(): Promise<void> {
    await this.#parts.registry.shutdown(this.#options.graceMs);
    await this.#parts.close();
  }

  async close(reason: string): Promise<void> {
    this.#link.send({ jsonrpc: "2.0", method: "notifications/sandbox/terminated", params: { reason } });
    try {
      await this.#connection.end();
      this.#parts.registry.discardResults();
    } catch (thrown) {
      this.#options.log.debug("Cannot close a session", { error: messageOf(thrown) });
    }
  }
}

/** Passes messages to the connection and its answers to the link. */
class LinkTransport implements Transport {
  // Others set these; the SDK's interface asks for public fields.
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #link: ClientLink;

  constructor(link: ClientLink) {
    this.#link = link;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    this.#link.send(message, options?.relatedRequestId);
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.onclose?.();
    return Promise.resolve();
  }
}

function nameOf(client: unknown): string | undefined {
  const [name, version] = [member(client, "name"), member(client, "version")];
  return typeof name === "string" && typeof version === "string" ? `${name} ${version}`.trim() : undefined;
}
