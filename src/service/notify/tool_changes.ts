import type { Unsubscribe } from "../../base/emitter.ts";
import type { Service } from "../service.ts";

/** Hears each change of the list; undefined: the list never changes. */
export function watchTools({ sources }: Pick<Service, "sources">, listener: () => void): Unsubscribe | undefined {
  const changing = sources.filter(({ onChange }) => onChange !== undefined);
  if (changing.length === 0) return undefined;
  const unsubscribes = changing.map((source) => source.onChange?.(listener));
  return () => unsubscribes.forEach((unsubscribe) => unsubscribe?.());
}
