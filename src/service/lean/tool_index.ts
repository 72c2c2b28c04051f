/** Finds tools by words: BM25 over names, titles, descriptions, arguments (docs/design.md). Pure. */
import type { Tool } from "@modelcontextprotocol/server";
import { didYouMean } from "../../base/suggest.ts";

/** The weight of a word by its place. */
const OF_NAME = 5;
const OF_TITLE = 2;
const OF_ARGUMENT = 1;
const OF_DESCRIPTION = 1;
/** Parameters of BM25: saturation of word frequency, and normalization of text length. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.3;
/** Minimum length of a word that also matches as a prefix. */
const SHORTEST_BEGINNING = 3;
/** Further words of a query are ignored. */
const MOST_WORDS = 32;

/** An index of the current tools, for any number of queries. */
export class ToolIndex {
  readonly #tools: readonly Tool[];
  readonly #byName: ReadonlyMap<string, Tool>;
  /** The weight of each word in each tool that has it. */
  readonly #places = new Map<string, Map<Tool, number>>();
  readonly #lengths = new Map<Tool, number>();
  readonly #usualLength: number;

  constructor(tools: readonly Tool[]) {
    this.#tools = tools;
    this.#byName = new Map(tools.toReversed().map((tool) => [tool.name, tool]));
    for (const tool of tools) this.#add(tool);
    const whole = this.#lengths.values().reduce((sum, length) => sum + length, 0);
    this.#usualLength = whole / Math.max(1, tools.length);
  }

  /** The tools that a query names, in its order; empty: some words are not names. */
  named(query: string): readonly Tool[] {
    const words = query.split(/[\s,]+/).filter((word) => word !== "");
    const tools = words.map((word) => this.#byName.get(word));
    return tools.includes(undefined) ? [] : [...new Set(tools.flatMap((tool) => tool ?? []))];
  }

  /** The tools with a word of the query, best first. One whose name equals the query in any spelling leads. */
  find(query: string): readonly Tool[] {
    const words = [...new Set(wordsOf(query))].slice(0, MOST_WORDS);
    const scores = new Map<Tool, { score: number; words: number }>();
    for (const word of words) {
      for (const [tool, score] of this.#scoresOf(word)) {
        const sum = scores.get(tool) ?? { score: 0, words: 0 };
        scores.set(tool, { score: sum.score + score, words: sum.words + 1 });
      }
    }
    const named = this.#tools.filter(({ name }) => isName(name, query));
    const exact = named.toSorted((one, other) =>
      Number(other.name === query.trim()) - Number(one.name === query.trim())
    );
    const found = [...scores].filter(([tool]) => !named.includes(tool))
      // A tool with all words of the query ranks above one with a rare word.
      .map(([tool, sum]) => ({ tool, score: sum.score * sum.words }))
      .toSorted((one, other) => other.score - one.score);
    return [...exact, ...found.map(({ tool }) => tool)];
  }

  /** `; did you mean "x"?` for a query without results; empty: no name is similar. */
  suggestion(query: string): string {
    return wordsOf(query).map((word) => didYouMean(word, this.#places.keys())).find((guess) => guess !== "") ?? "";
  }

  #add(tool: Tool): void {
    this.#count(tool, tool.name, OF_NAME);
    this.#count(tool, tool.title ?? "", OF_TITLE);
    this.#count(tool, tool.description ?? "", OF_DESCRIPTION);
    this.#count(tool, Object.keys(tool.inputSchema.properties ?? {}).join(" "), OF_ARGUMENT);
  }

  #count(tool: Tool, text: string, weight: number): void {
    const words = wordsOf(text);
    this.#lengths.set(tool, (this.#lengths.get(tool) ?? 0) + words.length);
    for (const word of words) {
      const counts = this.#places.get(word) ?? new Map<Tool, number>();
      this.#places.set(word, counts.set(tool, (counts.get(tool) ?? 0) + weight));
    }
  }

  #scoresOf(word: string): ReadonlyMap<Tool, number> {
    const counts = new Map<Tool, number>();
    for (const [other, places] of this.#places) {
      const likeness = likenessOf(word, other);
      if (likeness === 0) continue;
      for (const [tool, count] of places) counts.set(tool, (counts.get(tool) ?? 0) + likeness * count);
    }
    const rarity = Math.log(1 + (this.#tools.length - counts.size + 0.5) / (counts.size + 0.5));
    return new Map([...counts].map(([tool, count]) => {
      const length = (this.#lengths.get(tool) ?? 0) / Math.max(1, this.#usualLength);
      const room = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length);
      return [tool, rarity * count / (count + room)];
    }));
  }
}

/** Whether the query is the name, apart from case and separators. */
function isName(name: string, query: string): boolean {
  const wanted = wordsOf(query).join("");
  return name === query.trim() || (wanted !== "" && wordsOf(name).join("") === wanted);
}

/** 1 for the same word, less if one begins with the other, such as `issue` and `issues`; otherwise 0. */
function likenessOf(one: string, other: string): number {
  if (one === other) return 1;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length >= SHORTEST_BEGINNING && long.startsWith(short) ? short.length / long.length / 2 : 0;
}

/** Splits `HTTPServer2` into `HTTP`, `Server`, `2`; letters without case stay together. */
const WORD = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{N}+|[\p{Lo}\p{Lm}\p{Lt}\p{M}]+|\p{Lu}/gu;

/**
 * Words in lower case, split at other characters than letters and where the case changes.
 *
 * @example wordsOf("github_createIssue-2") // ["github", "create", "issue", "2"]
 */
export function wordsOf(text: string): readonly string[] {
  return Array.from(text.matchAll(WORD), ([word]) => word.toLowerCase());
}
