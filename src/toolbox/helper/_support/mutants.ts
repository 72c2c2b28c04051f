/** Damaged files for parsers: each goes through a helper that a test ends when the parser does not. */
import fc from "fast-check";
import type { HelperKind } from "../messages.ts";
import { helpersForTests } from "./helpers.ts";

/** One file may take so long, milliseconds: far more than any takes. */
const LONGEST_MS = 600_000;
/** One of them gives the same files every time. */
const SEED = 20_261_123;
const POSITIONS = 1_000_000;

/** What a parser made of a file: its text, or the message of what it threw. */
export type Parsed = { readonly text: string } | { readonly problem: string };

/** `count` files made of `whole` by changed, lost, doubled and inserted bytes; `words` are those that the format obeys. */
export function mutantsOf(whole: string, words: readonly string[], count: number): readonly string[] {
  const change = fc.record({
    at: fc.nat(POSITIONS - 1),
    length: fc.oneof({ weight: 4, arbitrary: fc.nat(20) }, fc.nat(whole.length)),
    kind: fc.constantFrom("byte", "word", "lose", "double", "cut"),
    byte: fc.nat(255),
    word: fc.constantFrom(...words),
  });
  const changes = fc.array(change, { minLength: 1, maxLength: 4 });
  return fc.sample(changes, { seed: SEED, numRuns: count }).map((list) =>
    list.reduce((text, { at, length, kind, byte, word }) => {
      const from = Math.floor(at / POSITIONS * text.length);
      const [before, after] = [text.slice(0, from), text.slice(from)];
      switch (kind) {
        case "byte":
          return before + String.fromCharCode(byte) + after.slice(1);
        case "word":
          return before + word + after.slice(length % (word.length + 1));
        case "lose":
          return before + after.slice(length);
        case "double":
          return before + after.slice(0, length) + after;
        default:
          return length % 4 === 0 ? before : text;
      }
    }, whole)
  );
}

/** What a helper makes of each file with the same task. @throws {Error} When it takes too long over one, or is gone. */
export async function parseAll(
  kind: HelperKind,
  task: unknown,
  files: readonly string[],
): Promise<readonly Parsed[]> {
  const { signal } = new AbortController();
  await using helpers = helpersForTests();
  const parsed: Parsed[] = [];
  for (const file of files) {
    const bytes = Uint8Array.from(file, (character) => character.charCodeAt(0));
    const options = { bytes, signal, longestMs: LONGEST_MS };
    const read = await helpers.ask<{ readonly text: string } | undefined>(kind, task, options);
    if (!read.ok && read.problem.kind !== "failed") throw new Error(`${read.problem.text}: ${JSON.stringify(file)}`);
    parsed.push(read.ok ? { text: read.value?.text ?? "(no text)" } : { problem: read.problem.text });
  }
  return parsed;
}
