/** FTS5 queries, with the user's text quoted. Pure. */

/** Columns of the word index, in order. */
export type WordColumn = "path" | "name" | "parts" | "body" | "doc";

/** Matches all terms, or any, in these columns; also terms joined to one word, as in `filename`. */
export function wordsExpression(
  terms: readonly string[],
  joined: "AND" | "OR",
  columns: readonly WordColumn[],
): string {
  const pairs = terms.slice(1).map((term, at) => terms[at] + term);
  const words = joined === "OR" ? pairs : terms.length === 2 ? pairs : [];
  return `{${columns.join(" ")}} : (${
    [`(${terms.map(quoted).join(` ${joined} `)})`, ...words.map(quoted)].join(" OR ")
  })`;
}

/** Matches all terms of at least three characters anywhere in a text; empty: there are none. */
export function substringExpression(terms: readonly string[]): string {
  return terms.filter((term) => [...term].length >= 3).map(quoted).join(" AND ");
}

/** Matches any trigram of the terms; empty: all terms are shorter. */
export function trigramExpression(terms: readonly string[]): string {
  return [...new Set(trigramsOf(terms.join("")))].map(quoted).join(" OR ");
}

/** The trigrams of a text. */
export function trigramsOf(text: string): readonly string[] {
  const characters = [...text.toLowerCase()];
  return characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(""));
}

/** The trigram similarity of two texts, from 0 to 1. */
export function likeness(one: string, other: string): number {
  const pieces = new Set(trigramsOf(one));
  const others = new Set(trigramsOf(other));
  const total = pieces.size + others.size;
  return total === 0 ? 0 : 2 * pieces.intersection(others).size / total;
}

function quoted(term: string): string {
  return `"${term.replaceAll('"', '""').replaceAll("\0", "")}"`;
}
