import type { Completion } from "./prompt_source.ts";

/** The protocol's own limit. */
const MOST_VALUES = 100;

/** Values that begin with `typed`, else those that contain it; case is ignored. */
export function matching(all: readonly string[], typed: string): Completion {
  const lower = typed.toLowerCase();
  const beginning = all.filter((value) => value.toLowerCase().startsWith(lower));
  const values = beginning.length > 0 ? beginning : all.filter((value) => value.toLowerCase().includes(lower));
  return withinLimit({ values: [...values], total: values.length });
}

/** The same with at most as many values as the protocol takes. */
export function withinLimit({ values, total, hasMore = false }: Completion): Completion {
  return {
    values: values.slice(0, MOST_VALUES),
    ...total !== undefined && { total },
    hasMore: hasMore || values.length > MOST_VALUES,
  };
}
