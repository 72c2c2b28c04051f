/** Comments by which a file is excepted from rules: `// ahma rule ignore GLOB`. Pure. */
import { glob } from "../../../base/glob.ts";

const COMMENT = /(?:\/\/|#|\/\*|<!--|--|;)[ \t]*(?:ahma|sah) rule ignore[ \t]+(\S{1,100})/g;

/** Patterns of rules that a text excepts itself from. */
export function ignoredRules(text: string): readonly string[] {
  if (!text.includes("rule ignore")) return [];
  return [...text.matchAll(COMMENT)].map(([, pattern = ""]) => pattern.replace(/(?:\*\/|-->)$/, ""));
}

/** Whether a pattern means the rule, by its name or the last part of it; `*` stands for any characters, `?` for one. */
export function isIgnored(rule: string, patterns: readonly string[]): boolean {
  const last = rule.slice(rule.lastIndexOf("/") + 1);
  return patterns.some((pattern) => {
    const fits = glob(pattern, "name");
    return fits(rule) || fits(last);
  });
}
