/** Where a session has created mount points: each of its sandboxes has its own, except in the shared temp directory. */
import { type MemoryQuestion, placeInMemory } from "./place_in_memory.ts";

export class SessionPoints {
  /** Of the temp directory: what was made there to mount on. */
  readonly inTemporary = new Set<string>();
  readonly #root: string;
  #place: string | undefined;
  #further = 0;

  /** `root`: the session's directory. */
  constructor(root: string) {
    this.#root = root;
  }

  /** A directory for the points of the next sandbox, in memory if possible. @throws {Error} When the disk is full. */
  next(question: MemoryQuestion): string {
    if (this.#place === undefined) return this.#place = placeInMemory(this.#root, question) ?? this.#root;
    const place = `${this.#place}/${++this.#further}`;
    question.make.directory(place);
    return place;
  }
}
