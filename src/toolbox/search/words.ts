/** Texts as words, so that `getUserName`, `get_user_name` and "get user name" are the same. Pure. */

/** Parts of an identifier in lower case; a new part begins at a capital, a digit, or a separator. */
export function partsOf(identifier: string): readonly string[] {
  return identifier
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== "");
}

/** Identifiers of several parts are also indexed by each part, without duplicates. */
export function hiddenParts(text: string): string {
  const found = new Set<string>();
  for (const [word] of text.matchAll(/\p{L}[\p{L}\p{N}]*\p{Ll}\p{Lu}[\p{L}\p{N}]*/gu)) {
    for (const part of partsOf(word)) found.add(part);
  }
  return [...found].join(" ");
}

/** The terms of a question, each once. */
export function termsOf(query: string): readonly string[] {
  return [...new Set(partsOf(query))];
}
