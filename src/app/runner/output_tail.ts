/** The last bytes a command printed: its complaints are most likely there. */
const BYTES_KEPT = 8192;

export class OutputTail {
  readonly #kept = new Uint8Array(BYTES_KEPT);
  #length = 0;

  /** Copies what may be needed of `chunk`. */
  add(chunk: Uint8Array): void {
    const last = chunk.subarray(-BYTES_KEPT);
    const stays = Math.min(this.#length, BYTES_KEPT - last.length);
    this.#kept.copyWithin(0, this.#length - stays, this.#length);
    this.#kept.set(last, stays);
    this.#length = stays + last.length;
  }

  /** As text; a character that was cut at the beginning is replaced. */
  text(): string {
    return new TextDecoder().decode(this.#kept.subarray(0, this.#length));
  }
}
