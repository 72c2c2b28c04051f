/** Queries in the syntax of FTS5, with all of the user's text quoted. Pure. */

/** Columns of the index of words, in its order. */
export type WordColumn = "path" | "name" | "parts" | "body" | "doc";

/** All terms, or any of them, in these columns; terms may also be written as one word, as in `filename`. */
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

/** All terms of three characters and more, anywhere in a text; empty: no term is so long. */
export function substringExpression(terms: readonly string[]): string {
  return terms.filter((term) => [...term].length >= 3).map(quoted).join(" AND ");
}

/** Any piece of three characters of the terms; empty: no term is so long. */
export function trigramExpression(terms: readonly string[]): string {
  return [...new Set(trigramsOf(terms.join("")))].map(quoted).join(" OR ");
}

/** The pieces of three characters of a text. */
export function trigramsOf(text: string): readonly string[] {
  const characters = [...text.toLowerCase()];
  return characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(""));
}

/** How much two texts are alike by their pieces, from 0 to 1. */
export function likeness(one: string, other: string): number {
  const pieces = new Set(trigramsOf(one));
  const others = new Set(trigramsOf(other));
  const total = pieces.size + others.size;
  return total === 0 ? 0 : 2 * pieces.intersection(others).size / total;
}

function quoted(term: string): string {
  return `"${term.replaceAll('"', '""').replaceAll("\0", "")}"`;
}
