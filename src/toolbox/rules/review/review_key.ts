/** What a verdict belongs to: a content and a rule, not a name or a time (K8). Pure. */
import { encodeText } from "../../../base/text.ts";
import type { Rule } from "../format/rule.ts";

/** So many characters of the key stand in an identifier. */
const SHOWN = 12;

/** The SHA-256 of content, severity and template, in hexadecimal digits. */
export async function reviewKey({ severity, body }: Pick<Rule, "severity" | "body">, content: string): Promise<string> {
  const parts = [severity, body, content].map((part) => `${part.length}:${part}`).join("");
  return new Uint8Array(await crypto.subtle.digest("SHA-256", encodeText(parts))).toHex();
}

/** What a reviewer names a question by; it says itself which file and content it is about. */
export function reviewId(rule: string, path: string, key: string): string {
  return `${rule}:${key.slice(0, SHOWN)}:${path}`;
}

/** The parts of an identifier; undefined: it is not one. */
export function parseReviewId(
  id: string,
): { readonly rule: string; readonly path: string; readonly start: string } | undefined {
  const [, rule, start, path] = /^(.+?):([0-9a-f]{12}):(.+)$/s.exec(id) ?? [];
  return rule === undefined || start === undefined || path === undefined ? undefined : { rule, path, start };
}
