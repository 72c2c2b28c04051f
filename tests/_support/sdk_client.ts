import { Client, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import type { Era, ServerProcess } from "./server_process.ts";

/** The official SDK's client on top of a driver that was started with era `none`. Closing it ends the program's input. */
export async function connectClient(server: ServerProcess, era: Era): Promise<Client> {
  const mode = era === "2026-07-28" ? { pin: era } : "legacy";
  const client = new Client({ name: "sdk", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new DriverTransport(server));
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
