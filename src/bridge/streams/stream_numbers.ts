/** Numbers of a session's streams; a number tells the kind of its stream, even after the stream is closed. */

/** The stream of a request, or one that the client opened with GET. */
type StreamKind = "request" | "standalone";

export class StreamNumbers {
  /** Standalone streams have even numbers, those of requests odd ones. */
  readonly #newest: Record<StreamKind, number> = { standalone: 0, request: -1 };

  next(kind: StreamKind): number {
    return this.#newest[kind] += 2;
  }

  /** The kind of an open or closed stream; undefined: no stream has had this number. */
  kindOf(number: number): StreamKind | undefined {
    const kind = number % 2 === 0 ? "standalone" : "request";
    return number >= 1 && number <= this.#newest[kind] ? kind : undefined;
  }
}
