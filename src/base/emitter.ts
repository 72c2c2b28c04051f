/** Ends a subscription; calling it again does nothing. */
export type Unsubscribe = () => void;

/** Announces events to listeners in the order they subscribed; keeps nothing else. */
export class Emitter<Event> {
  readonly #listeners = new Set<(event: Event) => void>();
  readonly #onListenerError: (thrown: unknown) => void;

  /** `onListenerError` gets what a listener threw; the other listeners are still called. */
  constructor(onListenerError: (thrown: unknown) => void) {
    this.#onListenerError = onListenerError;
  }

  /** How many listeners there are now. */
  get size(): number {
    return this.#listeners.size;
  }

  /** Calls `listener` for every event from now on. */
  subscribe(listener: (event: Event) => void): Unsubscribe {
    // An own function per call, so the same listener may be subscribed twice and removed once.
    const own = (event: Event) => listener(event);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /** Calls every listener that is subscribed at this moment. */
  emit(event: Event): void {
    if (this.#listeners.size === 0) return;
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (thrown) {
        this.#onListenerError(thrown);
      }
    }
  }
}
