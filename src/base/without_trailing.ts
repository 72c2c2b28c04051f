/**
 * `text` without those `characters` that end it. A pattern such as `/x+$/` begins again at each character of a run
 * elsewhere, and its time grows with the square.
 *
 * @example withoutTrailing("a/b//", "/") // "a/b"
 */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
