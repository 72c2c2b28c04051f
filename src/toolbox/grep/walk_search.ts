/** The search without `rg`: walks, reads and matches. It runs in a helper, because a pattern may take forever. */
import { markedEncoding } from "../../base/bytes.ts";
import { UserError } from "../../base/errors.ts";
import type { WorkerSetup } from "../frame/messages.ts";
import type { HelperWork, WorkHooks } from "../helper/messages.ts";
import { Project } from "../project/project.ts";
import type { Tree } from "../../system/tree/tree.ts";
import { globsOfType, KNOWN_TYPES } from "./file_types.ts";
import { leavesOut } from "./grep_globs.ts";
import type { FoundFile } from "./found_lines.ts";
import type { GrepQuery, OnFile, SearchEnd, SearchRequest } from "./grep_query.ts";
import { jsPattern } from "./js_pattern.ts";
import { searchText, type TextSearch } from "./search_text.ts";
import { listByWalk } from "../find/list_files.ts";

/** A longer file is not searched without `rg`, bytes. */
const LONGEST_FILE = 64 * 1024 * 1024;

interface Hooks {
  readonly onFile: OnFile;
  /** Called after each file that was searched. */
  readonly onSearched: () => void;
}

/** Part of a helper's answer: a file with matches, or a sign that it is still running. */
export type SearchPart = FoundFile | "alive";

const ALIVE_MS = 250;

/** The work of a search helper. */
export function searchWork(setup: WorkerSetup, { post }: Pick<WorkHooks, "post">): HelperWork {
  return async (request: SearchRequest) => {
    const project = new Project(setup);
    let last = performance.now();
    const onSearched = () => {
      if (performance.now() - last < ALIVE_MS) return;
      last = performance.now();
      post("alive" satisfies SearchPart);
    };
    try {
      return await searchByWalk(project, request, { onFile: post, onSearched });
    } finally {
      project[Symbol.dispose]();
    }
  };
}

/** Searches below a directory of the project. @throws {UserError} When the pattern or a file type is not understood. */
export async function searchByWalk(
  project: Project,
  { place, query, most }: SearchRequest,
  hooks: Hooks,
): Promise<SearchEnd> {
  const pattern = jsPattern(query);
  if (!pattern.ok) throw new UserError(`Cannot search for "${query.pattern}": ${pattern.problem}`);
  using tree = await project.tree(place.directory);
  const search: TextSearch = { query, pattern: pattern.value, most };
  let searched = 0;
  let binary = 0;
  let tooLong = 0;
  for await (const paths of place.file === undefined ? filesOf(tree, query) : [[place.file]]) {
    for (const path of paths) {
      const full = tree.fromRoot(path);
      const content = tree.read(full, LONGEST_FILE);
      if (content === undefined) tooLong += (tree.stat(full)?.size ?? 0n) > LONGEST_FILE ? 1 : 0;
      else {
        searched++;
        const text = decoded(content);
        if (text === undefined) binary++;
        const found = text === undefined ? undefined : searchText(path, text, search);
        if (found !== undefined) hooks.onFile(found);
        hooks.onSearched();
      }
    }
  }
  const warnings = tooLong === 0 ? [] : [`${tooLong} files over ${LONGEST_FILE} bytes need "rg"`];
  return { counted: { searched, binary }, warnings };
}

function filesOf(tree: Tree, { globs, type, respectIgnore }: GrepQuery): AsyncGenerator<readonly string[]> {
  const names = type === undefined ? [] : globsOfType(type);
  if (names === undefined) throw new UserError(`Type "${type}" is not known without "rg" (${KNOWN_TYPES}); use glob`);
  const decide = leavesOut(globs, names);
  return listByWalk(tree, {
    respectIgnore: true,
    signal: new AbortController().signal,
    leavesOut: ({ path, isDirectory, isIgnored }) =>
      decide({ path: tree.fromHere(path), isDirectory, isIgnored: isIgnored && respectIgnore }),
  });
}

/** Undefined: it is not text. */
function decoded(content: Uint8Array): string | undefined {
  const wide = markedEncoding(content);
  if (wide === undefined && content.includes(0)) return undefined;
  return new TextDecoder(wide ?? "utf-8").decode(content);
}
