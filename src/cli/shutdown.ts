/**
 * When the program is asked to end by a signal (requirement X14): the first one starts an orderly end, a second one
 * ends it at once.
 */

/** What people and supervisors send; SIGHUP is a closed terminal. */
const SIGNALS: readonly Deno.Signal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Requests to end; disposing of it gives the signals back to the runtime. */
export interface EndRequests extends Disposable {
  /** Aborted by the first signal, whose name is the reason. */
  readonly stop: AbortSignal;
  /** Resolves with the second one. */
  readonly second: Promise<Deno.Signal>;
}

/**
 * Listens for signals from now on; `signals` other than the usual ones are for programs with other habits. One of
 * `quiet` asks for the end, and never for one at once.
 */
export function listenForSignals(
  signals: readonly Deno.Signal[] = SIGNALS,
  quiet: readonly Deno.Signal[] = [],
): EndRequests {
  const first = new AbortController();
  const second = Promise.withResolvers<Deno.Signal>();
  const listeners = [...signals, ...quiet].map((signal) => {
    const again = () => quiet.includes(signal) ? undefined : second.resolve(signal);
    const listener = () => first.signal.aborted ? again() : first.abort(signal);
    Deno.addSignalListener(signal, listener);
    return { signal, listener };
  });
  return {
    stop: first.signal,
    second: second.promise,
    [Symbol.dispose]() {
      for (const { signal, listener } of listeners) Deno.removeSignalListener(signal, listener);
    },
  };
}
