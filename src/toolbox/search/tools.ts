/** The code of the search tools (K4). */
import { UserError } from "../../base/errors.ts";
import { fileTextOf } from "./file_text.ts";
import type { ToolArguments, ToolResult } from "../frame/messages.ts";
import { pathTest } from "../find/glob_pattern.ts";
import type { NativeTool, ToolContext } from "../project/native_tool.ts";
import { hitLine, leftOut, symbolLine, updateNote } from "./answers.ts";
import { excerptOf } from "./excerpt.ts";
import { type ChunkHit, findHits, type SearchMode } from "./find_hits.ts";
import { findSymbols, holderOf, nearNames } from "./find_symbols.ts";
import { ProjectIndex, type UpdateOptions, type UpdateReport } from "./project_index.ts";
import { termsOf } from "./words.ts";

const DEFAULT_HITS = 10;
const DEFAULT_SYMBOLS = 20;

export const TOOLS: Readonly<Record<string, NativeTool>> = {
  search_index: searchIndex,
  search_query: searchQuery,
  symbol_find: symbolFind,
};

async function searchIndex(args: ToolArguments, context: ToolContext): Promise<ToolResult> {
  const index = context.project.kept(ProjectIndex);
  const patterns = args["patterns"] as readonly string[] | undefined; // checked by the table of its parameters
  const report = await index.update({
    force: args["force"] === true,
    ...patterns !== undefined && { fits: pathTest(patterns, { directory: context.project.directory }) },
    signal: context.signal,
    onFile: told(context.progress),
  });
  if (report.isBusy) throw new UserError("Cannot index: another call or server updates the index just now");
  const files = await index.files();
  const symbols = await index.read((file) =>
    Number(file.all("SELECT count(*) AS n FROM chunks WHERE name <> ''")[0]?.["n"])
  );
  const skipped = leftOut(files);
  const kept = [...files.values()].filter((one) => one.skipped === undefined).length;
  const lines = [
    `Indexed ${report.indexed} files, removed ${report.removed}; the index has ${kept} files with ${symbols} symbols`,
    ...skipped === "" ? [] : [skipped],
  ];
  return textResult(lines);
}

async function searchQuery(args: ToolArguments, context: ToolContext): Promise<ToolResult> {
  const asked = String(args["query"]);
  const terms = termsOf(asked);
  if (terms.length === 0) {
    throw new UserError(`Cannot search for "${asked}": it has no letter or digit; files_grep takes any text`);
  }
  const mode = (args["mode"] ?? "text") as SearchMode; // checked by the table of its parameters
  const { index, report, fits } = await prepare(args, context);
  const all = await index.read((file) => findHits(file, { terms, mode, fits }));
  const hits = all.slice(0, Number(args["limit"] ?? DEFAULT_HITS));
  const note = updateNote(report);
  if (hits.length === 0) return textResult([...await nothingFound(asked, index), ...note]);
  if (mode === "path") return textResult([...hits.map(({ hit }) => hit.path), ...note]);
  const lines: string[] = [];
  for (const { hit, score } of hits) {
    if (mode === "symbol") lines.push(await symbolText(hit, index));
    else lines.push(`${hitLine(hit)} ${score.toFixed(2)}`, ...await excerpt(hit, { terms, index }, context));
  }
  return textResult([...lines, ...note]);
}

async function symbolFind(args: ToolArguments, context: ToolContext): Promise<ToolResult> {
  const name = String(args["name"]).trim();
  const kind = args["kind"] === undefined ? undefined : String(args["kind"]);
  if (name === "") throw new UserError('Cannot find "": name a symbol, or a part of its name');
  const { index, report, fits } = await prepare(args, context);
  const all = await index.read((file) => findSymbols(file, { name, kind, fits }));
  const note = updateNote(report);
  if (all.length === 0) {
    const near = await index.read((file) => nearNames(file, name));
    const meant = near.length === 0 ? "" : `; near names: ${near.join(", ")}`;
    return textResult([...await nothingFound(name, index, meant), ...note]);
  }
  const limit = Number(args["limit"] ?? DEFAULT_SYMBOLS);
  const lines = await Promise.all(all.slice(0, limit).map((hit) => symbolText(hit, index)));
  const cut = all.length > limit ? [`[${limit} of ${all.length}; limit shows more, kind and patterns narrow it]`] : [];
  return textResult([...lines, ...cut, ...note]);
}

function told(progress: ToolContext["progress"]): NonNullable<UpdateOptions["onFile"]> {
  return (done, total, message) => progress({ progress: done, total, message });
}

interface Prepared {
  readonly index: ProjectIndex;
  readonly report: UpdateReport;
  readonly fits: (path: string) => boolean;
}

/** The index, as far as it could be brought up to date. */
async function prepare(args: ToolArguments, { project, signal, progress }: ToolContext): Promise<Prepared> {
  const index = project.kept(ProjectIndex);
  const report = await index.update({ isBounded: true, signal, onFile: told(progress) });
  const patterns = args["patterns"] as readonly string[] | undefined; // checked by the table of its parameters
  const fits = patterns === undefined ? () => true : pathTest(patterns, { directory: project.directory });
  return { index, report, fits };
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

async function nothingFound(asked: string, index: ProjectIndex, meant = ""): Promise<readonly string[]> {
  const files = await index.files();
  const skipped = leftOut(files);
  const kept = [...files.values()].filter((one) => one.skipped === undefined).length;
  return [`Nothing found for "${asked}" in ${kept} indexed files${meant}`, ...skipped === "" ? [] : [skipped]];
}

function textResult(lines: readonly string[]): ToolResult {
  return { content: [{ type: "text", text: lines.join("\n") }] };
}
