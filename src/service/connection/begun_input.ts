import { concatenate } from "../../base/bytes.ts";
import type { ByteInput } from "./stdio_transport.ts";

const NEWLINE = 10;
/** A first line that is longer is left to the transport. */
const MOST_BYTES = 64 * 1024;

/** An input whose first line is looked at before the rest is read; then everything comes as it would have come. */
export class BegunInput implements ByteInput {
  readonly #input: ByteInput;
  readonly #buffer = new Uint8Array(MOST_BYTES);
  #seen: Uint8Array = new Uint8Array();
  #filling: Promise<void> | undefined;
  #isRead = false;
  #isEnded = false;
  #failure: unknown;
  /** What follows the first `bytes` waits for `until`; undefined: nothing waits. */
  #hold: { readonly bytes: number; readonly until: Promise<void> } | undefined;

  constructor(input: ByteInput) {
    this.#input = input;
  }

  /** The first line without its end; undefined: the input ends before, the line is long, or `read` was called. */
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
    if (this.#hold?.bytes === 0) {
      await this.#hold.until;
      this.#hold = undefined;
    }
    if (this.#seen.length > 0) return this.#give(into);
    if (this.#failure !== undefined) throw this.#failure;
    return this.#isEnded ? null : await this.#input.read(into);
  }

  /** Keeps back what follows the first line, which was read. */
  holdRest(until: Promise<void>): void {
    const bytes = this.#seen.indexOf(NEWLINE) + 1;
    if (bytes > 0) this.#hold = { bytes, until }; // else the client is gone
  }

  #give(into: Uint8Array): number {
    const part = this.#seen.subarray(0, Math.min(into.length, this.#hold?.bytes ?? Infinity));
    into.set(part);
    this.#seen = this.#seen.subarray(part.length);
    if (this.#hold !== undefined) this.#hold = { ...this.#hold, bytes: this.#hold.bytes - part.length };
    return part.length;
  }

  /** Nothing more is read, as if the client had closed it. */
  end(): void {
    this.#seen = new Uint8Array();
    this.#hold = undefined;
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
