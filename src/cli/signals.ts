/**
 * When the program is asked to end by a signal (requirement X14): the first one starts an orderly end, a second one
 * ends it at once.
 */

/** What people and supervisors send; SIGHUP is a closed terminal. */
const SIGNALS: readonly Deno.Signal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Requests to end; disposing of it gives the signals back to the runtime. */
interface EndRequests extends Disposable {
  /** Aborted by the first signal, whose name is the reason. */
  readonly stop: AbortSignal;
  /** Resolves with the second one. */
  readonly second: Promise<Deno.Signal>;
}

/** A signal that asks for the end where it counts when it comes, and never for one at once. */
export interface QuietSignal {
  readonly signal: Deno.Signal;
  readonly counts: () => boolean;
}

/** What to listen for. */
interface ListenOptions {
  /** Default: the usual ones. */
  readonly signals?: readonly Deno.Signal[];
  readonly quiet?: QuietSignal | undefined;
}

/** Listens for signals from now on. */
export function listenForSignals({ signals = SIGNALS, quiet }: ListenOptions = {}): EndRequests {
  const first = new AbortController();
  const second = Promise.withResolvers<Deno.Signal>();
  const listeners = signals.map((signal) => ({
    signal,
    listener: () => first.signal.aborted ? second.resolve(signal) : first.abort(signal),
  }));
  if (quiet !== undefined) {
    // Aborting again is without effect.
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
