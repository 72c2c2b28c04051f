/** What `make` gives, made when it is first asked for and the same ever after. When `make` throws, the next asking tries again. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
