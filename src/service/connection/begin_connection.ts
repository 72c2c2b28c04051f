/** The first stage of a stdio connection (N3): answers the first line if it can, and passes it on. */
import { aborted } from "../../base/time.ts";
import type { Service } from "../service.ts";
import { MessageWriter } from "../../wire/message_writer.ts";
import { firstAnswer } from "./first_answer.ts";
import type { StdioStreams } from "./stdio_connection.ts";
import { concatenate } from "../../base/bytes.ts";
import type { ByteInput } from "./stdio_transport.ts";

/** Resolves with the input for the second stage, once the first line is answered or left to the SDK, or at a stop. */
export async function beginConnection(service: Service, io: StdioStreams): Promise<StdioStreams> {
  const input = new BegunInput(io.input);
  const line = await Promise.race([input.firstLine(), aborted(io.stop).then(() => undefined)]);
  const answered = line && firstAnswer(service, line);
  if (answered === undefined) return { ...io, input };
  const writer = new MessageWriter(io.output, () => input.end(), io.onFirstWrite);
  await Promise.race([writer.writeLine(answered.text), aborted(io.stop)]);
  return { ...io, input, writer, answered };
}

const NEWLINE = 10;
/** A longer first line is left to the transport. */
const MOST_BYTES = 64 * 1024;

/** An input whose first line can be inspected in advance; a reader then still receives everything. */
export class BegunInput implements ByteInput {
  readonly #input: ByteInput;
  readonly #buffer = new Uint8Array(MOST_BYTES);
  #seen: Uint8Array = new Uint8Array();
  #filling: Promise<void> | undefined;
  #isRead = false;
  #isEnded = false;
  #failure: unknown;

  constructor(input: ByteInput) {
    this.#input = input;
  }

  /** The first line without its ending; undefined: the input ended, it is too long, or `read` was called. */
  async firstLine(): Promise<Uint8Array | undefined> {
    for (;;) {
      const end = this.#seen.indexOf(NEWLINE);
      if (end >= 0) return this.#seen.subarray(0, end);
      if (this.#isRead || this.#isEnded || this.#seen.length >= MOST_BYTES) return undefined;
      await this.#fill();
    }
  }

  /** @throws what the input throws */
  async read(into: Uint8Array): Promise<number | null> {
    this.#isRead = true;
    await this.#filling;
    if (this.#seen.length > 0) return this.#give(into);
    if (this.#failure !== undefined) throw this.#failure;
    return this.#isEnded ? null : await this.#input.read(into);
  }

  #give(into: Uint8Array): number {
    const part = this.#seen.subarray(0, into.length);
    into.set(part);
    this.#seen = this.#seen.subarray(part.length);
    return part.length;
  }

  /** Reads nothing more, as if the client had closed the input. */
  end(): void {
    this.#seen = new Uint8Array();
    this.#isEnded = true;
  }

  async #fill(): Promise<void> {
    this.#filling = this.#input.read(this.#buffer).then((size) => {
      if (size === null) this.#isEnded = true;
      else if (!this.#isEnded) this.#seen = concatenate([this.#seen, this.#buffer.subarray(0, size)]);
    }, (thrown: unknown) => {
      this.#failure = thrown;
      this.#isEnded = true;
    });
    await this.#filling;
    this.#filling = undefined;
  }
}
