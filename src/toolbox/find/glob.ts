/** `files_glob`: paths that match a pattern, newest first (K3). */
import { visibleName } from "../../base/visible_text.ts";
import type { CallOf } from "../definition/groups.ts";
import { textResult, type ToolResult } from "../frame/messages.ts";
import type { ToolContext } from "../project/native_tool.ts";
import type { Tree } from "../../system/tree/tree.ts";
import { globTest } from "./glob_pattern.ts";
import { countFiles, listByWalk, listFiles } from "./list_files.ts";
import { Turns } from "../../system/tree/turns.ts";

const DEFAULT_LIMIT = 100;

interface Match {
  /** Relative to the searched directory. */
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

/** See the definition of `files_glob`. */
export async function globFiles(args: CallOf<"files_glob">, { project, signal }: ToolContext): Promise<ToolResult> {
  const { pattern: patterns, type, respect_git_ignore: respectIgnore = true, limit = DEFAULT_LIMIT, offset = 0 } = args;
  using tree = await project.tree(args.path ?? ".");
  const fits = globTest(patterns, { caseSensitive: args.case_sensitive, directory: tree.place.path });
  const turns = new Turns();
  let seen = 0;
  const matches: Match[] = [];
  const options = { respectIgnore, signal };
  const listed = type === "directory" ? listByWalk(tree, options, "directory") : listFiles(tree, options);
  for await (const paths of listed) {
    seen += paths.length;
    matches.push(...matchesOf(tree, await turns.filter(paths, fits, signal)));
  }
  if (matches.length === 0) return textResult(await nothing(tree, { patterns, seen, respectIgnore, signal }));
  matches.sort((one, other) => other.changedAt - one.changedAt || (one.path < other.path ? -1 : 1));
  const shown = matches.slice(offset, offset + limit);
  const lines = shown.map(({ path }) => visibleName(tree.shown(path)));
  const end = offset + shown.length;
  const rest = end < matches.length ? `; continue with offset ${end}` : "";
  const cut = shown.length < matches.length ? [`[${shown.length} of ${matches.length}, newest first${rest}]`] : [];
  return textResult([...lines, ...cut].join("\n"));
}

function matchesOf(tree: Tree, paths: readonly string[]): readonly Match[] {
  return paths.flatMap((path) => {
    const changedAt = tree.changedAt(tree.fromRoot(path));
    return changedAt === undefined ? [] : [{ path, changedAt }];
  });
}

interface Nothing {
  readonly patterns: readonly string[];
  readonly seen: number;
  readonly respectIgnore: boolean;
  readonly signal: AbortSignal;
}

/** The answer without a match: how many files were searched and how many skipped. */
async function nothing(tree: Tree, { patterns, seen, respectIgnore, signal }: Nothing): Promise<string> {
  const all = respectIgnore ? await countFiles(tree, { respectIgnore: false, signal }) : seen;
  const ignored = all > seen ? `; ${all - seen} ignored ones were left out (respect_git_ignore)` : "";
  return `Nothing fits ${patterns.map((one) => `"${one}"`).join(", ")} among ${seen} files${ignored}`;
}
