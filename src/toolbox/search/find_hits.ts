/** Queries an index for text and for symbols by name. */
import type { IndexFile, Row } from "./index_file.ts";
import {
  likeness,
  substringExpression,
  trigramExpression,
  type WordColumn,
  wordsExpression,
} from "./match_expression.ts";
import { fuse, type Hit, type Ranked } from "./rank.ts";
import { FILE_KIND, LINES_KIND, WORD_WEIGHTS } from "./schema.ts";
import { termsOf } from "./words.ts";

/** The searched columns: all, symbol names, or file paths. */
export type SearchMode = "text" | "symbol" | "path";

/** A piece that was found. */
export interface ChunkHit extends Hit {
  readonly from: number;
  readonly to: number;
  readonly signature: string;
  readonly doc: string;
}

export interface Question {
  /** At least one. */
  readonly terms: readonly string[];
  readonly mode: SearchMode;
  /** Other files are left out. */
  readonly fits: (path: string) => boolean;
}

const COLUMNS: Readonly<Record<SearchMode, readonly WordColumn[]>> = {
  text: ["path", "name", "parts", "body", "doc"],
  symbol: ["name", "parts"],
  path: ["path"],
};
const IS_SYMBOL = `chunks.kind NOT IN ('${FILE_KIND}', '${LINES_KIND}')`;
const KINDS: Readonly<Record<SearchMode, string>> = {
  text: `chunks.kind <> '${FILE_KIND}'`,
  symbol: IS_SYMBOL,
  path: `chunks.kind = '${FILE_KIND}'`,
};
/** At most this many are ranked. */
const MOST_HITS = 300;
/** With fewer hits, less similar ones are searched too. */
const FEW_HITS = 20;

const HIT_COLUMNS =
  "chunks.id, files.path, chunks.kind, chunks.name, chunks.first, chunks.last, chunks.signature, chunks.doc";

/** The best first. */
export function findHits(index: IndexFile, { terms, mode, fits }: Question): readonly Ranked<ChunkHit>[] {
  const ask = (table: "words" | "pieces", expression: string) => {
    if (expression === "") return [];
    const weights = table === "words" ? `, ${WORD_WEIGHTS}` : "";
    const statement = `SELECT ${HIT_COLUMNS} FROM ${table} JOIN chunks ON chunks.id = ${table}.rowid
      JOIN files ON files.id = chunks.file WHERE ${table} MATCH ? AND ${KINDS[mode]}
      ORDER BY bm25(${table}${weights}) LIMIT ${MOST_HITS}`;
    return index.all(statement, expression).map(hitOf).filter(({ path }) => fits(path));
  };
  const byWords = new Map(ask("words", wordsExpression(terms, "AND", COLUMNS[mode])).map((hit) => [hit.id, hit]));
  const byPieces = new Map(ask("pieces", substringExpression(terms)).map((hit) => [hit.id, hit]));
  const addNew = (to: Map<number, ChunkHit>, hits: readonly ChunkHit[]) => {
    for (const hit of hits) if (!to.has(hit.id)) to.set(hit.id, hit);
  };
  if (byWords.size < FEW_HITS && terms.length > 1) {
    addNew(byWords, ask("words", wordsExpression(terms, "OR", COLUMNS[mode])));
  }
  if (byPieces.size + byWords.size < FEW_HITS) addNew(byPieces, ask("pieces", trigramExpression(terms)));
  return fuse([...byWords.values()], [...byPieces.values()], { terms });
}

/** Builds a hit from a row of `HIT_COLUMNS`. */
function hitOf(row: Row): ChunkHit {
  return {
    id: Number(row["id"]),
    path: String(row["path"]),
    kind: String(row["kind"]),
    name: String(row["name"]),
    from: Number(row["first"]),
    to: Number(row["last"]),
    signature: String(row["signature"]),
    doc: String(row["doc"]),
  };
}

export interface SymbolQuestion {
  readonly name: string;
  readonly kind: string | undefined;
  /** Other files are left out. */
  readonly fits: (path: string) => boolean;
}

const MOST_SYMBOLS = 2000;
const MOST_NEAR = 3;

/** Symbols by name: exact matches first, then prefixes, then other occurrences. */
export function findSymbols(index: IndexFile, { name, kind, fits }: SymbolQuestion): readonly ChunkHit[] {
  const lower = name.toLowerCase();
  const statement = `SELECT ${HIT_COLUMNS} FROM chunks JOIN files ON files.id = chunks.file
    WHERE ${IS_SYMBOL} AND instr(chunks.lower, ?) > 0 AND (? = '' OR chunks.kind = ?)
    ORDER BY chunks.lower <> ?, instr(chunks.lower, ?) <> 1, length(chunks.lower), files.path LIMIT ${MOST_SYMBOLS}`;
  const wanted = kind ?? "";
  const hits = index.all(statement, lower, wanted, wanted, lower, lower).map(hitOf).filter(({ path }) => fits(path));
  return hits.toSorted((one, other) => Number(other.name === name) - Number(one.name === name));
}

/** Similar names; empty: there are none. */
export function nearNames(index: IndexFile, name: string): readonly string[] {
  const expression = trigramExpression(termsOf(name));
  if (expression === "") return [];
  const statement = `SELECT DISTINCT chunks.name FROM pieces JOIN chunks ON chunks.id = pieces.rowid
    WHERE pieces MATCH ? AND ${IS_SYMBOL} LIMIT ${MOST_SYMBOLS}`;
  const names = index.all(statement, expression).map((row) => String(row["name"]));
  return names.map((one) => ({ one, alike: likeness(one, name) })).filter(({ alike }) => alike > 0.4)
    .toSorted((one, other) => other.alike - one.alike).slice(0, MOST_NEAR).map(({ one }) => one);
}

/** The name of the containing symbol; empty: there is none. */
export function holderOf(index: IndexFile, { id, from, to }: ChunkHit): string {
  const statement = `SELECT chunks.name FROM chunks WHERE ${IS_SYMBOL} AND chunks.kind <> 'heading'
    AND chunks.file = (SELECT file FROM chunks WHERE id = ?) AND chunks.first <= ? AND chunks.last >= ?
    AND chunks.last - chunks.first > ? ORDER BY chunks.last - chunks.first LIMIT 1`;
  return String(index.all(statement, id, from, to, to - from)[0]?.["name"] ?? "");
}
