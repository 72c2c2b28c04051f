import { withDeadline } from "../deadline.ts";
import type { RpcMessage } from "../json_rpc.ts";

/** One server-sent event, or a comment. */
export interface SeenEvent {
  readonly id: string | undefined;
  /** Undefined: a comment. */
  readonly data: string | undefined;
  /** The content of `data`; undefined: empty, or a comment. */
  readonly message: RpcMessage | undefined;
}

const DEADLINE = 30_000;

/** Reads a response of server-sent events as they arrive. */
export class EventReader implements AsyncDisposable {
  readonly response: Response;
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = "";
  #ended = false;

  /** @throws Error when the response is no stream of events. */
  constructor(response: Response) {
    const type = response.headers.get("content-type");
    if (response.body === null || type !== "text/event-stream") {
      throw new Error(`No event stream: ${response.status} ${type}`);
    }
    this.response = response;
    this.#reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** The next event, comments included; undefined: the stream has ended. */
  async next(deadline = DEADLINE): Promise<SeenEvent | undefined> {
    for (let end = this.#text.indexOf("\n\n"); end < 0; end = this.#text.indexOf("\n\n")) {
      if (this.#ended) return undefined;
      const { done, value } = await withDeadline(this.#reader.read(), deadline, "an event of the stream");
      this.#ended = done;
      this.#text += value ?? "";
    }
    const end = this.#text.indexOf("\n\n");
    const block = this.#text.slice(0, end);
    this.#text = this.#text.slice(end + 2);
    return eventOf(block);
  }

  /** The next message that matches; others are skipped. @throws Error when the stream ends before it. */
  async message(matches: (message: RpcMessage) => boolean, deadline = DEADLINE): Promise<SeenEvent> {
    for (let event = await this.next(deadline); event !== undefined; event = await this.next(deadline)) {
      if (event.message !== undefined && matches(event.message)) return event;
    }
    throw new Error("The stream ended before the message came");
  }

  /** All messages to the end of the stream. */
  async rest(): Promise<readonly SeenEvent[]> {
    const seen: SeenEvent[] = [];
    for (let event = await this.next(); event !== undefined; event = await this.next()) {
      if (event.data !== undefined) seen.push(event);
    }
    return seen;
  }

  /** Closes the connection. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.cancel();
  }
}

function eventOf(block: string): SeenEvent {
  const fields = new Map(
    block.split("\n").map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trimStart()] as const;
    }),
  );
  const data = fields.get("data");
  return { id: fields.get("id"), data, message: data === undefined || data === "" ? undefined : JSON.parse(data) };
}
