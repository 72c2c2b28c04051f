import type { Unsubscribe } from "../../base/emitter.ts";

/** A source whose content may change. */
export interface Changing {
  /** Hears each change once; absent: there is none. */
  onChange?(listener: () => void): Unsubscribe;
}

/** Hears each change of one of the sources; undefined: none of them ever changes. */
export function watchSources(sources: readonly Changing[], listener: () => void): Unsubscribe | undefined {
  const changing = sources.filter(({ onChange }) => onChange !== undefined);
  if (changing.length === 0) return undefined;
  const unsubscribes = changing.map((source) => source.onChange?.(listener));
  return () => unsubscribes.forEach((unsubscribe) => unsubscribe?.());
}
