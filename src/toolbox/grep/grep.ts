/** `files_grep`: finds matching lines with `rg`, or else with our own equivalent search (K3). */
import { UserError } from "../../base/errors.ts";
import { parentOf } from "../../system/paths.ts";
import type { CallOf } from "../definition/groups.ts";
import { textResult, type ToolResult } from "../frame/messages.ts";
import type { ToolContext } from "../project/native_tool.ts";
import type { Project } from "../project/project.ts";
import { findProgram } from "../project/programs.ts";
import { FoundLines } from "./found_lines.ts";
import { grepAnswer } from "./grep_answer.ts";
import {
  type GrepQuery,
  type OnFile,
  queryOf,
  type SearchEnd,
  type SearchPlace,
  type SearchRequest,
  viewOf,
} from "./grep_query.ts";
import { countFiles } from "../find/list_files.ts";
import { countSearched, searchByRg } from "./rg_run.ts";
import type { SearchPart } from "./walk_search.ts";
import { Helpers } from "../helper/helpers.ts";

/** See the definition of `files_grep`. */
export async function grepFiles(args: CallOf<"files_grep">, { project, signal }: ToolContext): Promise<ToolResult> {
  const query = queryOf(args);
  const view = viewOf(args);
  const place = await placeOf(project, args.path ?? ".");
  using tree = await project.tree(place.directory);
  const most = view.mode === "content" ? view.offset + view.limit : 0;
  const found = new FoundLines(most);
  const onFile = (file: Parameters<FoundLines["add"]>[0]) => found.add({ ...file, path: tree.shown(file.path) });
  const request: SearchRequest = { place, query, most };
  const end = findProgram("rg") === undefined
    ? await searchApart(project.kept(Helpers), request, onFile, { signal })
    : await searchByRg(tree, request, onFile, signal);
  const text = found.matches > 0 ? grepAnswer(found, query, view) : await nothing();
  return textResult([text, ...end.warnings.map((warning) => `[${warning}]`)].join("\n"));

  async function nothing(): Promise<string> {
    const { searched: all, binary } = end.counted ?? await countSearched(tree, request, signal);
    const ignored = place.file === undefined ? await ignoredFiles(query, all) : 0;
    const left = [
      ...ignored === 0 ? [] : [`${ignored} ignored (respect_git_ignore)`],
      ...binary === 0 ? [] : [`${binary} binary`],
    ];
    const searched = all - binary;
    const what = searched === 1 ? "1 file" : `${searched} files`;
    return `No match in ${what}${left.length === 0 ? "" : `; left out: ${left.join(", ")}`}`;
  }

  async function ignoredFiles({ globs, type, respectIgnore }: GrepQuery, searched: number): Promise<number> {
    if (!respectIgnore) return 0;
    const all = await countFiles(tree, { respectIgnore: false, signal });
    const isWhole = globs.length === 0 && type === undefined;
    return all - (isWhole ? searched : await countFiles(tree, { respectIgnore: true, signal }));
  }
}

/** Time limit for one file, milliseconds. */
const LONGEST_FILE_MS = 10_000;

/** Searches without `rg`. @throws {UserError} When the pattern is wrong, or one file takes longer than `longestMs`. */
export async function searchApart(
  helpers: Helpers,
  request: SearchRequest,
  onFile: OnFile,
  { signal, longestMs = LONGEST_FILE_MS }: { readonly signal: AbortSignal; readonly longestMs?: number },
): Promise<SearchEnd> {
  const searched = await helpers.ask<SearchEnd, SearchPart>("search", request, {
    signal,
    longestMs,
    isByPart: true,
    onPart: (part) => part !== "alive" && onFile(part),
  });
  if (searched.ok) return searched.value;
  const { kind, text } = searched.problem;
  if (kind === "late") {
    const { pattern } = request.query;
    throw new UserError(`The pattern "${pattern}" took longer than ${longestMs / 1000} s on one file; simplify it`);
  }
  throw new UserError(
    kind === "gone" ? `Cannot search: ${text}` : kind === "cancelled" ? "The call was cancelled" : text,
  );
}

/** Splits a path into directory and file; a file is searched alone. */
async function placeOf(project: Project, path: string): Promise<SearchPlace> {
  const { path: real, root } = await project.resolve(path);
  const isFile = real !== root && await project.isFile(path);
  return isFile
    ? { directory: parentOf(real), file: real.slice(parentOf(real).length + 1) }
    : { directory: path, file: undefined };
}
