/** The words of names and texts, by which tools are found. Pure. */

/** `HTTPServer2` is `HTTP`, `Server`, `2`; letters without case stand together. */
const WORD = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{N}+|[\p{Lo}\p{Lm}\p{Lt}\p{M}]+|\p{Lu}/gu;

/**
 * Words in small letters, split where a character is not a letter and where the case changes.
 *
 * @example wordsOf("github_createIssue-2") // ["github", "create", "issue", "2"]
 */
export function wordsOf(text: string): readonly string[] {
  return Array.from(text.matchAll(WORD), ([word]) => word.toLowerCase());
}
