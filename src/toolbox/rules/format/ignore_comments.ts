/** Comments by which a file is excepted from rules: `// ahma rule ignore GLOB`. Pure. */

const COMMENT = /(?:\/\/|#|\/\*|<!--|--|;)[ \t]*(?:ahma|sah) rule ignore[ \t]+(\S{1,100})/g;

/** Patterns of rules that a text excepts itself from. */
export function ignoredRules(text: string): readonly string[] {
  if (!text.includes("rule ignore")) return [];
  return [...text.matchAll(COMMENT)].map(([, pattern = ""]) => pattern.replace(/(?:\*\/|-->)$/, ""));
}

/** Whether a pattern means the rule, by its name or the last part of it; `*` stands for any characters, `?` for one. */
export function isIgnored(rule: string, patterns: readonly string[]): boolean {
  const last = rule.slice(rule.lastIndexOf("/") + 1);
  return patterns.some((pattern) => fits(rule, pattern) || fits(last, pattern));
}

/** In time linear in both, because a hostile file writes the pattern. */
function fits(text: string, pattern: string): boolean {
  let [at, place, star, resume] = [0, 0, -1, 0];
  while (at < text.length) {
    if (pattern[place] === "*") [star, resume, place] = [place, at, place + 1];
    else if (pattern[place] === "?" || place < pattern.length && pattern[place] === text[at]) {
      [at, place] = [at + 1, place + 1];
    } else if (star >= 0) [resume, at, place] = [resume + 1, resume + 1, star + 1];
    else return false;
  }
  return /^\**$/.test(pattern.slice(place));
}
