/** Signals that ask the program to end (X14): the first begins an orderly end, a second ends it at once. */

/** Signals of users and process managers; SIGHUP is a closed terminal. */
const SIGNALS: readonly Deno.Signal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

interface EndRequests {
  /** Aborted by the first signal, whose name is the reason. */
  readonly stop: AbortSignal;
  /** Resolves with the second one. */
  readonly second: Promise<Deno.Signal>;
}

/** A signal that asks for the end only while `counts`, and never ends the program at once. */
export interface QuietSignal {
  readonly signal: Deno.Signal;
  readonly counts: () => boolean;
}

/** Begins to listen for signals; disposing of the result returns them to the runtime. */
export function listenForSignals(quiet: QuietSignal | undefined): EndRequests & Disposable {
  const { listeners, ...requests } = endRequests(quiet);
  for (const [signal, listener] of listeners) Deno.addSignalListener(signal, listener);
  return {
    ...requests,
    [Symbol.dispose]() {
      for (const [signal, listener] of listeners) Deno.removeSignalListener(signal, listener);
    },
  };
}

/** What signals ask for, and the listeners for it. Pure. */
export function endRequests(
  quiet: QuietSignal | undefined,
): EndRequests & { readonly listeners: ReadonlyMap<Deno.Signal, () => void> } {
  const first = new AbortController();
  const second = Promise.withResolvers<Deno.Signal>();
  const listeners = new Map(SIGNALS.map((signal) => {
    return [signal, () => first.signal.aborted ? second.resolve(signal) : first.abort(signal)];
  }));
  // A second abort has no effect.
  if (quiet !== undefined) listeners.set(quiet.signal, () => quiet.counts() ? first.abort(quiet.signal) : undefined);
  return { stop: first.signal, second: second.promise, listeners };
}
