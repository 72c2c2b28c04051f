/** The value of `make`, made at the first call and kept. When `make` throws, the next call tries again. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

/**
 * A value made from the lists of several sources, kept until one of the lists changes. An item is left out if an earlier
 * source has its name.
 */
export function mergedList<Item extends { readonly name: string }, Made>(
  sources: readonly { list(): Promise<readonly Item[]> }[],
  make: (items: readonly Item[], leftOut: readonly Item[]) => Made,
): () => Promise<Made> {
  let lists: readonly (readonly Item[])[] = [];
  let made = make([], []);
  return async () => {
    const now = await Promise.all(sources.map((source) => source.list()));
    if (now.some((list, index) => list !== lists[index])) {
      const all = now.flat();
      const first = new Map(all.toReversed().map((item) => [item.name, item]));
      lists = now;
      made = make(
        all.filter((item) => first.get(item.name) === item),
        all.filter((item) => first.get(item.name) !== item),
      );
    }
    return made;
  };
}
