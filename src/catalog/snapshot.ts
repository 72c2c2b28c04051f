import type { Catalog, CatalogProblem, CatalogTool, Leaf } from "./leaf.ts";
import { sortProblems } from "./problem.ts";

/** What a catalog holds beside its leaves. */
export interface CatalogRest {
  readonly tools?: readonly CatalogTool[];
  readonly problems?: readonly CatalogProblem[];
}

/** A catalog of `leaves`; the first of two leaves with one name stays. */
export function catalogOf(leaves: readonly Leaf[], rest: CatalogRest = {}): Catalog {
  const byName = new Map<string, Leaf>();
  for (const leaf of leaves) {
    if (!byName.has(leaf.name)) byName.set(leaf.name, leaf);
  }
  return {
    leaves: [...byName.values()],
    byName,
    tools: rest.tools ?? [],
    problems: sortProblems(rest.problems ?? []),
  };
}

/** A catalog without any tool. */
export const EMPTY_CATALOG: Catalog = catalogOf([]);
