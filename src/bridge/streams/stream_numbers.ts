/** Numbers of a session's streams: they tell what kind of stream they belong to, also when it is long gone. */

/** Of a request that the client made, or opened with GET. */
type StreamKind = "request" | "standalone";

export class StreamNumbers {
  /** An even one, an odd one. */
  readonly #newest: Record<StreamKind, number> = { standalone: 0, request: -1 };

  next(kind: StreamKind): number {
    return this.#newest[kind] += 2;
  }

  /** The kind of a stream that there is, or was; undefined: there was none with this number. */
  kindOf(number: number): StreamKind | undefined {
    const kind = number % 2 === 0 ? "standalone" : "request";
    return number >= 1 && number <= this.#newest[kind] ? kind : undefined;
  }
}
