/** Symbols of an index by their names. */
import { type ChunkHit, HIT_COLUMNS, hitOf } from "./find_hits.ts";
import type { IndexFile } from "./index_file.ts";
import { likeness, trigramExpression } from "./match_expression.ts";
import { FILE_KIND, LINES_KIND } from "./schema.ts";
import { termsOf } from "./words.ts";

export interface SymbolQuestion {
  readonly name: string;
  /** Undefined: any. */
  readonly kind: string | undefined;
  /** Other files are left out. */
  readonly fits: (path: string) => boolean;
}

const MOST_HITS = 2000;
const MOST_NEAR = 3;
const IS_SYMBOL = `chunks.kind NOT IN ('${FILE_KIND}', '${LINES_KIND}')`;

/** Those of exactly the name come first, then those that begin with it, then those that contain it. */
export function findSymbols(index: IndexFile, { name, kind, fits }: SymbolQuestion): readonly ChunkHit[] {
  const lower = name.toLowerCase();
  const statement = `SELECT ${HIT_COLUMNS} FROM chunks JOIN files ON files.id = chunks.file
    WHERE ${IS_SYMBOL} AND instr(chunks.lower, ?) > 0 AND (? = '' OR chunks.kind = ?)
    ORDER BY chunks.lower <> ?, instr(chunks.lower, ?) <> 1, length(chunks.lower), files.path LIMIT ${MOST_HITS}`;
  const wanted = kind ?? "";
  const hits = index.all(statement, lower, wanted, wanted, lower, lower).map(hitOf).filter(({ path }) => fits(path));
  return hits.toSorted((one, other) => Number(other.name === name) - Number(one.name === name));
}

/** Names that are nearly the same; empty: none is. */
export function nearNames(index: IndexFile, name: string): readonly string[] {
  const expression = trigramExpression(termsOf(name));
  if (expression === "") return [];
  const statement = `SELECT DISTINCT chunks.name FROM pieces JOIN chunks ON chunks.id = pieces.rowid
    WHERE pieces MATCH ? AND ${IS_SYMBOL} LIMIT ${MOST_HITS}`;
  const names = index.all(statement, expression).map((row) => String(row["name"]));
  return names.map((one) => ({ one, alike: likeness(one, name) })).filter(({ alike }) => alike > 0.4)
    .toSorted((one, other) => other.alike - one.alike).slice(0, MOST_NEAR).map(({ one }) => one);
}

/** The name of the symbol that holds another; empty: none does. */
export function holderOf(index: IndexFile, { id, from, to }: ChunkHit): string {
  const statement = `SELECT chunks.name FROM chunks WHERE ${IS_SYMBOL} AND chunks.kind <> 'heading'
    AND chunks.file = (SELECT file FROM chunks WHERE id = ?) AND chunks.first <= ? AND chunks.last >= ?
    AND chunks.last - chunks.first > ? ORDER BY chunks.last - chunks.first LIMIT 1`;
  return String(index.all(statement, id, from, to, to - from)[0]?.["name"] ?? "");
}
