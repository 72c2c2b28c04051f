/** Damaged files for parsers: each goes through a thread that a test ends when the parser does not. */
import fc from "fast-check";
import { keepGoing } from "../in_thread.ts";

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

/** What the thread of `module` makes of each file. @throws {Error} When it takes too long over one, or lets an error out. */
export async function parseAll(module: string, files: readonly string[]): Promise<readonly Parsed[]> {
  const thread = new Worker(module, { type: "module" });
  const parsed: Parsed[] = [];
  try {
    for (const file of files) {
      const { promise, resolve, reject } = Promise.withResolvers<Parsed>();
      const fail = (what: string) => reject(new Error(`${what}: ${JSON.stringify(file)}`));
      const timer = setTimeout(() => fail(`not parsed within ${LONGEST_MS} ms`), LONGEST_MS);
      thread.onmessage = ({ data }: MessageEvent<Parsed>) => resolve(data);
      thread.onerror = (event) => {
        event.preventDefault();
        fail(event.message);
      };
      thread.postMessage(Uint8Array.from(file, (character) => character.charCodeAt(0)));
      parsed.push(await promise.finally(() => clearTimeout(timer)));
    }
    return parsed;
  } finally {
    thread.terminate();
  }
}

/** In a thread: answers each file with what `parse` makes of it. */
export function serveParser(parse: (bytes: Uint8Array<ArrayBuffer>) => Promise<string>): void {
  const scope = globalThis as unknown as {
    onmessage: (event: { readonly data: Uint8Array<ArrayBuffer> }) => void;
    postMessage(message: Parsed): void;
  };
  scope.onmessage = async ({ data }) => {
    const answer = parse(data).then((text) => ({ text }), (thrown) => ({ problem: String(thrown) }));
    scope.postMessage(await answer);
  };
  keepGoing();
}
