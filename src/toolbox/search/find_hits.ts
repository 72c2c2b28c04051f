/** What an index finds for a question. */
import type { IndexFile, Row } from "./index_file.ts";
import { substringExpression, trigramExpression, type WordColumn, wordsExpression } from "./match_expression.ts";
import { fuse, type Hit, type Ranked } from "./rank.ts";
import { FILE_KIND, LINES_KIND, WORD_WEIGHTS } from "./schema.ts";

/** What is searched: everything, names of symbols, or paths of files. */
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
const KINDS: Readonly<Record<SearchMode, string>> = {
  text: `chunks.kind <> '${FILE_KIND}'`,
  symbol: `chunks.kind NOT IN ('${FILE_KIND}', '${LINES_KIND}')`,
  path: `chunks.kind = '${FILE_KIND}'`,
};
/** So many are ranked. */
const MOST_HITS = 300;
/** With fewer, what is less like the question is looked for as well. */
const FEW_HITS = 20;

/** The columns of a hit. */
export const HIT_COLUMNS =
  "chunks.id, files.path, chunks.kind, chunks.name, chunks.first, chunks.last, chunks.signature, chunks.doc";

/** The best first. */
export function findHits(index: IndexFile, { terms, mode, fits }: Question): readonly Ranked<ChunkHit>[] {
  const ask = (table: "words" | "pieces", expression: string) =>
    expression === "" ? [] : query(index, { table, expression, mode }).filter(({ path }) => fits(path));
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

interface Asked {
  readonly table: "words" | "pieces";
  readonly expression: string;
  readonly mode: SearchMode;
}

function query(index: IndexFile, { table, expression, mode }: Asked): readonly ChunkHit[] {
  const weights = table === "words" ? `, ${WORD_WEIGHTS}` : "";
  const statement = `SELECT ${HIT_COLUMNS} FROM ${table} JOIN chunks ON chunks.id = ${table}.rowid
    JOIN files ON files.id = chunks.file WHERE ${table} MATCH ? AND ${KINDS[mode]}
    ORDER BY bm25(${table}${weights}) LIMIT ${MOST_HITS}`;
  return index.all(statement, expression).map(hitOf);
}

/** A hit of the columns of `HIT_COLUMNS`. */
export function hitOf(row: Row): ChunkHit {
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
