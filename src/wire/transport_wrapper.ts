import type { JSONRPCMessage, MessageExtraInfo, Transport, TransportSendOptions } from "@modelcontextprotocol/server";

/** A transport around another one; subclasses inspect messages, answer them or change them. */
export abstract class TransportLayer implements Transport {
  // The SDK sets these; its interface asks for public fields.
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
  protected readonly inner: Transport;

  constructor(inner: Transport) {
    this.inner = inner;
  }

  async start(): Promise<void> {
    this.inner.onmessage = (message: JSONRPCMessage, extra?: MessageExtraInfo) => this.receive(message, extra);
    this.inner.onerror = (error) => this.onerror?.(error);
    this.inner.onclose = () => {
      this.ended();
      this.onclose?.();
    };
    await this.inner.start();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    return this.inner.send(message, options);
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  /** Handles a message of the client: passes it to `onmessage`, answers it with `inner.send`, or drops it. */
  protected abstract receive(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void;

  /** The connection has ended. */
  protected ended(): void {}
}
