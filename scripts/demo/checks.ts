import type { Screen } from "./screen.ts";

/** Shows what holds. @throws Error with what does not. */
export function check(holds: boolean, words: { readonly good: string; readonly bad: string }, screen: Screen): void {
  if (!holds) throw new Error(words.bad);
  screen.good(words.good);
}

/** The time since `begin`, a value of `performance.now()`, for a person. */
export function took(begin: number): string {
  const milliseconds = performance.now() - begin;
  return milliseconds < 10 ? `${milliseconds.toFixed(1)} ms` : `${milliseconds.toFixed(0)} ms`;
}

/** The first line of an answer. */
export function firstLine({ text }: { readonly text: string }): string {
  return text.split("\n", 1)[0] ?? "";
}

/** What a command printed, and what the server says of it. */
export function printed({ text }: { readonly text: string }): readonly string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}
