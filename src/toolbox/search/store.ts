/** Reads and writes the files of an index. */
import type { Chunk } from "./chunks.ts";
import { type IndexFile } from "./index_file.ts";
import { FILE_KIND } from "./schema.ts";
import { hiddenParts, partsOf } from "./words.ts";

/** A file as it was when it was indexed. */
export interface KnownFile {
  readonly id: number;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly changed: number;
  /** Fingerprint of its content; empty: it was left out. */
  readonly rev: string;
  /** Why it was left out; undefined: it was not. */
  readonly skipped: string | undefined;
}

/** The current state of a file. */
export type FileState = Pick<KnownFile, "size" | "changed" | "rev" | "skipped">;

/** All files, by path. */
export function knownFiles(index: IndexFile): Map<string, KnownFile> {
  const rows = index.all("SELECT id, path, size, changed, rev, skipped FROM files");
  return new Map(rows.map((row) => [String(row["path"]), {
    id: Number(row["id"]),
    size: Number(row["size"]),
    changed: Number(row["changed"]),
    rev: String(row["rev"]),
    skipped: row["skipped"] === null ? undefined : String(row["skipped"]),
  }]));
}

/** Removes a file from the index. */
export function removeFile(index: IndexFile, { id }: Pick<KnownFile, "id">): void {
  for (const table of ["words", "pieces"]) {
    index.run(`DELETE FROM ${table} WHERE rowid IN (SELECT id FROM chunks WHERE file = ?)`, id);
  }
  index.run("DELETE FROM chunks WHERE file = ?", id);
  index.run("DELETE FROM files WHERE id = ?", id);
}

/** Records that a touched file has the same content. */
export function touchFile(index: IndexFile, known: KnownFile, { size, changed }: FileState): KnownFile {
  index.run("UPDATE files SET size = ?, changed = ? WHERE id = ?", size, changed, known.id);
  return { ...known, size, changed };
}

/** Stores a file with its pieces and replaces its old entry. */
export function storeFile(
  index: IndexFile,
  { path, state, chunks }: { readonly path: string; readonly state: FileState; readonly chunks: readonly Chunk[] },
  known: KnownFile | undefined,
): KnownFile {
  if (known !== undefined) removeFile(index, known);
  const { size, changed, rev, skipped } = state;
  const insert = "INSERT INTO files (path, size, changed, rev, skipped) VALUES (?, ?, ?, ?, ?)";
  const id = index.run(insert, path, size, changed, rev, skipped ?? null);
  const words = partsOf(path).join(" ");
  const last = chunks.reduce((most, { to }) => Math.max(most, to), 1);
  const whole: Chunk = { kind: FILE_KIND, name: "", from: 1, to: last, signature: "", doc: "", body: "" };
  storeChunk(index, { id, words, pieces: path }, whole);
  for (const chunk of chunks) storeChunk(index, { id, words, pieces: chunk.name }, chunk);
  return { id, ...state };
}

interface FileWords {
  readonly id: number;
  readonly words: string;
  readonly pieces: string;
}

function storeChunk(index: IndexFile, { id, words, pieces }: FileWords, chunk: Chunk): void {
  const { kind, name, from, to, signature, doc, body } = chunk;
  const row = index.run(
    "INSERT INTO chunks (file, kind, name, lower, first, last, signature, doc) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    ...[id, kind, name, name.toLowerCase(), from, to, signature, doc],
  );
  if (body !== "" || kind === FILE_KIND) {
    const parts = [partsOf(name).join(" "), hiddenParts(body)].join(" ");
    index.run(
      "INSERT INTO words (rowid, path, name, parts, body, doc) VALUES (?, ?, ?, ?, ?, ?)",
      ...[row, words, name, parts, body, doc],
    );
  }
  if (pieces !== "") index.run("INSERT INTO pieces (rowid, text) VALUES (?, ?)", row, pieces);
}
