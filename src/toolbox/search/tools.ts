/** The code of the search tools (K4). */
import { UserError } from "../../base/errors.ts";
import type { CallOf } from "../definition/groups.ts";
import { textResult, type ToolResult } from "../frame/messages.ts";
import { readUpTo } from "../files/read_chunks.ts";
import { pathTest } from "../find/glob_pattern.ts";
import { MOST_SOURCE_BYTES, textOf } from "../outline/read_source.ts";
import type { ToolContext } from "../project/native_tool.ts";
import type { Project } from "../project/project.ts";
import { revOf } from "../project/seen_contents.ts";
import { excerptOf, hitLine, leftOut, symbolLine, updateNote } from "./answers.ts";
import { type ChunkHit, findHits, findSymbols, holderOf, nearNames } from "./find_hits.ts";
import { ProjectIndex, type UpdateOptions, type UpdateReport } from "./project_index.ts";
import { termsOf } from "./words.ts";

const DEFAULT_HITS = 10;
const DEFAULT_SYMBOLS = 20;

/** See the definition of `search_index`. */
export async function searchIndex(
  { force = false, patterns }: CallOf<"search_index">,
  context: ToolContext,
): Promise<ToolResult> {
  const index = context.project.kept(ProjectIndex);
  const report = await index.update({
    force,
    fits: fitsOf(patterns, context),
    signal: context.signal,
    onFile: told(context.progress),
  });
  if (report.isBusy) throw new UserError("Cannot index: another call or server is updating the index");
  const { kept, skipped } = await contentOf(index);
  const symbols = await index.read((file) =>
    Number(file.all("SELECT count(*) AS n FROM chunks WHERE name <> ''")[0]?.["n"])
  );
  return linesResult([
    `Indexed ${report.indexed} files, removed ${report.removed}; the index has ${kept} files with ${symbols} symbols`,
    ...skipped,
  ]);
}

/** See the definition of `search_query`. */
export async function searchQuery(args: CallOf<"search_query">, context: ToolContext): Promise<ToolResult> {
  const { query: asked, mode = "text", patterns, limit = DEFAULT_HITS } = args;
  const terms = termsOf(asked);
  if (terms.length === 0) {
    throw new UserError(`Cannot search for "${asked}": it has no letter or digit; files_grep takes any text`);
  }
  const { index, report, fits } = await prepare(patterns, context);
  const all = await index.read((file) => findHits(file, { terms, mode, fits }));
  const hits = all.slice(0, limit);
  const note = updateNote(report);
  if (hits.length === 0) return linesResult([...await nothingFound(asked, index), ...note]);
  if (mode === "path") return linesResult([...hits.map(({ hit }) => hit.path), ...note]);
  const lines: string[] = [];
  for (const { hit, score } of hits) {
    if (mode === "symbol") lines.push(await symbolText(hit, index));
    else lines.push(`${hitLine(hit)} ${score.toFixed(2)}`, ...await excerpt(hit, { terms, index }, context));
  }
  return linesResult([...lines, ...note]);
}

/** See the definition of `symbol_find`. */
export async function symbolFind(args: CallOf<"symbol_find">, context: ToolContext): Promise<ToolResult> {
  const { kind, patterns, limit = DEFAULT_SYMBOLS } = args;
  const name = args.name.trim();
  if (name === "") throw new UserError('Cannot find "": name a symbol, or a part of its name');
  const { index, report, fits } = await prepare(patterns, context);
  const all = await index.read((file) => findSymbols(file, { name, kind, fits }));
  const note = updateNote(report);
  if (all.length === 0) {
    const near = await index.read((file) => nearNames(file, name));
    const meant = near.length === 0 ? "" : `; near names: ${near.join(", ")}`;
    return linesResult([...await nothingFound(name, index, meant), ...note]);
  }
  const lines = await Promise.all(all.slice(0, limit).map((hit) => symbolText(hit, index)));
  const cut = all.length > limit ? [`[${limit} of ${all.length}; limit shows more, kind and patterns narrow it]`] : [];
  return linesResult([...lines, ...cut, ...note]);
}

function told(progress: ToolContext["progress"]): NonNullable<UpdateOptions["onFile"]> {
  return (done, total, message) => progress({ progress: done, total, message });
}

type Patterns = readonly string[] | undefined;

interface Prepared {
  readonly index: ProjectIndex;
  readonly report: UpdateReport;
  readonly fits: (path: string) => boolean;
}

/** Updates the index as far as time allows. */
async function prepare(patterns: Patterns, { project, signal, progress }: ToolContext): Promise<Prepared> {
  const index = project.kept(ProjectIndex);
  const report = await index.update({ isBounded: true, signal, onFile: told(progress) });
  return { index, report, fits: fitsOf(patterns, { project }) };
}

/** Tests paths against the patterns of a call. */
function fitsOf(patterns: Patterns, { project }: Pick<ToolContext, "project">): (path: string) => boolean {
  return patterns === undefined ? () => true : pathTest(patterns, { directory: project.directory });
}

async function symbolText(hit: ChunkHit, index: ProjectIndex): Promise<string> {
  return symbolLine(hit, await index.read((file) => holderOf(file, hit)));
}

async function excerpt(
  hit: ChunkHit,
  { terms, index }: { readonly terms: readonly string[]; readonly index: ProjectIndex },
  { project }: ToolContext,
): Promise<readonly string[]> {
  const text = await fileTextOf(project, hit.path);
  if (text === undefined) return ["  (just removed)"];
  const known = (await index.files()).get(hit.path);
  const lines = excerptOf(text.text, hit, terms);
  return known?.rev === text.rev ? lines : [...lines, "  (changed since it was indexed)"];
}

/** The current text of a file and its fingerprint; undefined: it is gone or no longer text. */
async function fileTextOf(
  project: Project,
  path: string,
): Promise<{ readonly text: string; readonly rev: string } | undefined> {
  try {
    using file = await project.open(path);
    const size = Number(file.stat.size);
    if (size > MOST_SOURCE_BYTES) return undefined;
    const bytes = readUpTo(file, size);
    const text = textOf(bytes);
    return text.ok ? { text: text.value, rev: await revOf(bytes) } : undefined;
  } catch (thrown) {
    if (thrown instanceof UserError) return undefined;
    throw thrown;
  }
}

async function nothingFound(asked: string, index: ProjectIndex, meant = ""): Promise<readonly string[]> {
  const { kept, skipped } = await contentOf(index);
  return [`Nothing found for "${asked}" in ${kept} indexed files${meant}`, ...skipped];
}

/** The number of indexed files, and a line about files that were left out, if any. */
async function contentOf(index: ProjectIndex): Promise<{ readonly kept: number; readonly skipped: readonly string[] }> {
  const files = await index.files();
  const skipped = leftOut(files);
  const kept = [...files.values()].filter((one) => one.skipped === undefined).length;
  return { kept, skipped: skipped === "" ? [] : [skipped] };
}

function linesResult(lines: readonly string[]): ToolResult {
  return textResult(lines.join("\n"));
}
