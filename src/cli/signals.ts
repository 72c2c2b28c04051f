/**
 * Signals that ask the program to end (requirement X14): the first starts an orderly end, a second one ends the program
 * at once.
 */

/** Signals of users and process managers; SIGHUP is a closed terminal. */
const SIGNALS: readonly Deno.Signal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Requests to end; disposing of it returns the signals to the runtime. */
interface EndRequests extends Disposable {
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

/** Signals to listen for. */
interface ListenOptions {
  /** Default: the usual ones. */
  readonly signals?: readonly Deno.Signal[];
  readonly quiet?: QuietSignal | undefined;
}

/** Begins to listen for signals. */
export function listenForSignals({ signals = SIGNALS, quiet }: ListenOptions = {}): EndRequests {
  const first = new AbortController();
  const second = Promise.withResolvers<Deno.Signal>();
  const listeners = signals.map((signal) => ({
    signal,
    listener: () => first.signal.aborted ? second.resolve(signal) : first.abort(signal),
  }));
  if (quiet !== undefined) {
    // A second abort has no effect.
    const { signal, counts } = quiet;
    listeners.push({ signal, listener: () => counts() ? first.abort(signal) : undefined });
  }
  for (const { signal, listener } of listeners) Deno.addSignalListener(signal, listener);
  return {
    stop: first.signal,
    second: second.promise,
    [Symbol.dispose]() {
      for (const { signal, listener } of listeners) Deno.removeSignalListener(signal, listener);
    },
  };
}
