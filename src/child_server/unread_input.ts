/**
 * Counts the unread input of a child server. A hostile server may read nothing, so its input is limited, and so are the
 * answers to its own requests.
 */

/** With this many unread bytes a server gets no further requests and notifications. */
const MOST_BYTES = 64 * 1024 * 1024;
/** With this many unread bytes of answers to its own requests the server is not read from. */
const MOST_ANSWER_BYTES = 1024 * 1024;

export class UnreadInput {
  #bytes = 0;
  #answerBytes = 0;
  #relief: PromiseWithResolvers<void> | undefined;

  /** Whether the server gets nothing more for now. */
  get isFull(): boolean {
    return this.#bytes > MOST_BYTES;
  }

  /** Settles when the server may be read again; undefined: it may be read now. */
  get pressure(): Promise<void> | undefined {
    if (this.#answerBytes <= MOST_ANSWER_BYTES) return undefined;
    return (this.#relief ??= Promise.withResolvers<void>()).promise;
  }

  /** Counts `bytes` until `read` settles, which never rejects. */
  add(bytes: number, { isAnswer }: { readonly isAnswer: boolean }, read: Promise<void>): void {
    const answerBytes = isAnswer ? bytes : 0;
    this.#bytes += bytes;
    this.#answerBytes += answerBytes;
    void read.then(() => {
      this.#bytes -= bytes;
      this.#answerBytes -= answerBytes;
      if (this.pressure !== undefined) return;
      this.#relief?.resolve();
      this.#relief = undefined;
    });
  }
}
