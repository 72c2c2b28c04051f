/** Which files wait for a verdict, and what recorded ones say (K8). */
import type { Finding, Rule } from "../format/rule.ts";
import { reviewId, reviewKey } from "./review_key.ts";
import type { Verdicts } from "./verdicts.ts";
import type { Waiting } from "./batches.ts";

/** A rule of a review and a file that it is for. */
export interface Question {
  readonly rule: Rule;
  readonly path: string;
}

export interface Answered {
  /** What recorded verdicts found. */
  readonly findings: readonly Finding[];
  readonly waiting: readonly Waiting[];
}

/** `contentOf` gives the text of a file; undefined: there is nothing to review, or the file excepts itself. `force`: verdicts do not count. */
export async function askReviews(
  questions: readonly Question[],
  { verdicts, contentOf, force }: {
    readonly verdicts: Verdicts;
    readonly contentOf: (question: Question) => string | undefined;
    readonly force: boolean;
  },
): Promise<Answered> {
  const findings: Finding[] = [];
  const waiting: Waiting[] = [];
  for (const question of questions) {
    const { rule, path } = question;
    const content = contentOf(question);
    if (content === undefined || content.trim() === "") continue;
    const key = await reviewKey(rule, content);
    const verdict = force ? undefined : verdicts.get(key);
    if (verdict === undefined) waiting.push({ id: reviewId(rule.name, path, key), rule, path, content });
    else {
      findings.push(...verdict.findings.map(({ line, severity, message, suggestion }): Finding => ({
        path,
        line,
        column: 1,
        severity,
        rule: rule.name,
        message,
        fix: suggestion === "" ? undefined : suggestion,
      })));
    }
  }
  return { findings, waiting };
}
