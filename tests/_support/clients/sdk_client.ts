import {
  Client,
  type ClientCapabilities,
  type ElicitResult,
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import type { Era, ServerProcess } from "../server_process.ts";

/** What a client declares, and how it answers requests. */
export interface Asked {
  readonly capabilities?: ClientCapabilities;
  /** Answers an elicitation; absent: none is expected. */
  readonly onElicit?: (params: Readonly<Record<string, unknown>>) => ElicitResult | Promise<ElicitResult>;
  /** The text that its model answers to a prompt; absent: no prompt is expected. */
  readonly onSample?: (params: Readonly<Record<string, unknown>>) => string;
}

/** The official SDK's client on top of a driver that was started with era `none`. Closing it ends the program's input. */
export async function connectClient(server: ServerProcess, era: Era, asked: Asked = {}): Promise<Client> {
  const client = clientOf(era, asked);
  await client.connect(new DriverTransport(server));
  return client;
}

/** The same over HTTP. */
export async function connectHttpClient(url: string, era: Era, asked: Asked = {}): Promise<Client> {
  const client = clientOf(era, asked);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

function clientOf(era: Era, { capabilities = {}, onElicit, onSample }: Asked): Client {
  const mode = era === "2026-07-28" ? { pin: era } : "legacy";
  const client = new Client({ name: "sdk", version: "1" }, { versionNegotiation: { mode }, capabilities });
  if (onElicit !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }) => Promise.resolve(onElicit(params)));
  }
  if (onSample !== undefined) {
    client.setRequestHandler("sampling/createMessage", ({ params }) => ({
      model: "test",
      role: "assistant",
      content: { type: "text", text: onSample({ ...params }) },
    }));
  }
  return client;
}

class DriverTransport implements Transport {
  // The SDK sets these; its interface asks for public fields.
  onmessage?: Transport["onmessage"];
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  readonly #server: ServerProcess;

  constructor(server: ServerProcess) {
    this.#server = server;
  }

  start(): Promise<void> {
    // Parsed JSON; the SDK's own schemas check it.
    this.#server.listen((message) => this.onmessage?.(message as JSONRPCMessage));
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#server.send(message);
  }

  async close(): Promise<void> {
    await this.#server.closeInput();
    this.onclose?.();
  }
}
