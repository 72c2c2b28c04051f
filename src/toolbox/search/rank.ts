/** Merges two rankings. Pure. */
import { likeness } from "./match_expression.ts";

/** The facts of a hit. */
export interface Hit {
  readonly id: number;
  readonly path: string;
  readonly kind: string;
  readonly name: string;
}

/** A hit with its score. */
export interface Ranked<Found extends Hit = Hit> {
  readonly hit: Found;
  readonly score: number;
}

interface Question {
  readonly terms: readonly string[];
}

/** Offset of reciprocal ranks, so that the first hit does not outweigh all others. */
const RANK_OFFSET = 60;
const BY_PIECES = 0.5;
const EXACT_NAME = 2.5;
const WHOLE_NAME = 1.4;
const IN_PATH = 1.15;
const SECONDARY = 0.6;
const TESTS = /(?:^|[/._-])(?:tests?|specs?|fixtures?|mocks?|__tests__)(?:[/._-]|$)/i;
const GENERATED = /(?:^|\/)(?:dist|build|vendor|third_party|node_modules|generated)\/|\.(?:min|generated|pb|g)\./i;
/** Minimum trigram similarity of a misspelled name. */
const LEAST_LIKENESS = 0.45;

/** Merges hits by words with hits whose name or path resembles the query; best first. */
export function fuse<Found extends Hit>(
  byWords: readonly Found[],
  byPieces: readonly Found[],
  question: Question,
): readonly Ranked<Found>[] {
  const scores = new Map<number, { readonly hit: Found; score: number }>();
  const add = (hit: Found, score: number) => {
    const known = scores.get(hit.id);
    if (known === undefined) scores.set(hit.id, { hit, score });
    else known.score += score;
  };
  for (const [rank, hit] of byWords.entries()) add(hit, 1 / (RANK_OFFSET + rank));
  const near = byPieces.filter((hit) => isNear(hit, question));
  for (const [rank, hit] of near.entries()) add(hit, BY_PIECES / (RANK_OFFSET + rank));
  return [...scores.values()]
    .map(({ hit, score }) => ({ hit, score: score * RANK_OFFSET * weightOf(hit, question) }))
    .toSorted((one, other) => other.score - one.score || one.hit.id - other.hit.id);
}

function isNear({ name, path }: Hit, { terms }: Question): boolean {
  const text = (name === "" ? path : name).toLowerCase();
  return terms.some((term) => term.length > 2 && text.includes(term)) ||
    likeness(text, terms.join("")) >= LEAST_LIKENESS;
}

function weightOf({ name, path }: Hit, { terms }: Question): number {
  const plain = name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  const named = plain !== "" && plain === terms.join("")
    ? EXACT_NAME
    : plain !== "" && terms.every((term) => plain.includes(term))
    ? WHOLE_NAME
    : 1;
  const file = path.toLowerCase().slice(path.lastIndexOf("/") + 1);
  const inPath = terms.some((term) => term.length > 2 && file.includes(term)) ? IN_PATH : 1;
  return named * inPath * (isSecondary(path, terms) ? SECONDARY : 1);
}

/** Tests and generated files rank lower, unless the query asks for them. */
function isSecondary(path: string, terms: readonly string[]): boolean {
  const wantsTests = terms.includes("test") || terms.includes("tests");
  return GENERATED.test(path) || !wantsTests && TESTS.test(path);
}
