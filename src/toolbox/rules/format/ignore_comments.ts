/** Comments that exempt a file from rules: `// ahma rule ignore GLOB`. Pure. */
import { glob } from "../../../base/glob.ts";

const COMMENT = /(?:\/\/|#|\/\*|<!--|--|;)[ \t]*(?:ahma|sah) rule ignore[ \t]+(\S{1,100})/g;

/** Patterns of the rules that a text is exempt from. */
export function ignoredRules(text: string): readonly string[] {
  if (!text.includes("rule ignore")) return [];
  return [...text.matchAll(COMMENT)].map(([, pattern = ""]) => pattern.replace(/(?:\*\/|-->)$/, ""));
}

/** Whether a pattern matches the rule's name or its last part; `*` matches any characters, `?` one. */
export function isIgnored(rule: string, patterns: readonly string[]): boolean {
  const last = rule.slice(rule.lastIndexOf("/") + 1);
  return patterns.some((pattern) => {
    const fits = glob(pattern, "name");
    return fits(rule) || fits(last);
  });
}
