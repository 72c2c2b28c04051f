/** The tables of an index. */

/** Version of tables and pieces; an index with another version is rebuilt. */
export const SCHEMA_VERSION = 1;

/** The name of the piece for a whole file. */
export const FILE_KIND = "file";
/** The kind of a piece that lies in no symbol. */
export const LINES_KIND = "lines";

/** The weight of a hit in each column of `words`: path, name, parts, body, doc. */
export const WORD_WEIGHTS = "4.0, 6.0, 3.0, 1.0, 2.0";

/** Bytes of a page, and how many pages an index may have: 1 GiB. */
const PAGE_BYTES = 4096;
const MOST_PAGES = 2 ** 30 / PAGE_BYTES;

/** Settings of each connection. Readers do not wait; a crash may lose the index. */
export const SETTINGS = `
PRAGMA busy_timeout = 5000;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -16000;
PRAGMA max_page_count = ${MOST_PAGES};
PRAGMA trusted_schema = OFF;
`;

/** Set after opening: how long a call waits for another server, milliseconds. */
export const PATIENCE = "PRAGMA busy_timeout = 200";

/** Two servers may create the tables at once. Texts are not stored, because the files have them. */
export const TABLES = `
CREATE TABLE IF NOT EXISTS files (
  id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, changed REAL NOT NULL, rev TEXT NOT NULL,
  skipped TEXT
);
CREATE TABLE IF NOT EXISTS chunks (
  id INTEGER PRIMARY KEY, file INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, lower TEXT NOT NULL,
  first INTEGER NOT NULL, last INTEGER NOT NULL, signature TEXT NOT NULL, doc TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS chunks_of_file ON chunks (file);
CREATE INDEX IF NOT EXISTS chunks_by_name ON chunks (lower);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (
  path, name, parts, body, doc, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
CREATE VIRTUAL TABLE IF NOT EXISTS pieces USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = 'trigram'
);
PRAGMA user_version = ${SCHEMA_VERSION};
`;
