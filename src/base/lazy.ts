/** The value of `make`, made at the first call and kept. When `make` throws, the next call tries again. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
