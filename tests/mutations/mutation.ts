/** A single change of `good.json`, and everything that is then said about the file. */
export type Mutation = Change & {
  /** What the author got wrong. */
  readonly what: string;
  /** The file is taken all the same, because of this; absent: it is refused. */
  readonly legal?: string;
  /** `line:column: severity: message (pointer)`, worst first; see `sentence()` for what is shortened. */
  readonly says: readonly string[];
};

type Change =
  /** The only `from` in the text becomes `to`. */
  | { readonly from: string; readonly to: string }
  | { readonly rewrite: (good: string) => string };

/** The changed text. @throws Error when the change does not apply exactly once */
export function mutated(good: string, mutation: Mutation): string {
  const text = "rewrite" in mutation ? mutation.rewrite(good) : replacedOnce(good, mutation.from, mutation.to);
  if (text === good) throw new Error(`Cannot mutate: "${mutation.what}" changes nothing`);
  return text;
}

function replacedOnce(text: string, from: string, to: string): string {
  const parts = text.split(from);
  if (parts.length !== 2) throw new Error(`Cannot mutate: ${JSON.stringify(from)} is there ${parts.length - 1} times`);
  return parts.join(to);
}
