/** `files_glob`: the paths that fit a pattern, the newest first (K3). */
import { visibleText } from "../../base/visible_text.ts";
import { textResult, type ToolArguments, type ToolResult } from "../frame/messages.ts";
import type { ToolContext } from "../project/native_tool.ts";
import type { Tree } from "../../system/tree/tree.ts";
import { globTest } from "./glob_pattern.ts";
import { countFiles, listByWalk, listFiles } from "./list_files.ts";
import { Turns } from "../../system/tree/turns.ts";

const DEFAULT_LIMIT = 100;

interface Match {
  /** Seen from the directory that was searched. */
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

/** See the definition of `files_glob`. */
export async function globFiles(args: ToolArguments, { project, signal }: ToolContext): Promise<ToolResult> {
  using tree = await project.tree(String(args["path"] ?? "."));
  const patterns = args["pattern"] as readonly string[]; // checked by the table of its parameters
  const caseSensitive = args["case_sensitive"] as boolean | undefined;
  const fits = globTest(patterns, { caseSensitive, directory: tree.place.path });
  const respectIgnore = args["respect_git_ignore"] !== false;
  const turns = new Turns();
  let seen = 0;
  const matches: Match[] = [];
  const options = { respectIgnore, signal };
  for await (
    const paths of args["type"] === "directory" ? listByWalk(tree, options, "directory") : listFiles(tree, options)
  ) {
    seen += paths.length;
    matches.push(...matchesOf(tree, await turns.filter(paths, fits, signal)));
  }
  if (matches.length === 0) return textResult(await nothing(tree, { patterns, seen, respectIgnore, signal }));
  matches.sort((one, other) => other.changedAt - one.changedAt || (one.path < other.path ? -1 : 1));
  const offset = Number(args["offset"] ?? 0);
  const shown = matches.slice(offset, offset + Number(args["limit"] ?? DEFAULT_LIMIT));
  const lines = shown.map(({ path }) => visibleText(tree.shown(path)));
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

/** Files searched without a match, and files skipped. */
async function nothing(tree: Tree, { patterns, seen, respectIgnore, signal }: Nothing): Promise<string> {
  const all = respectIgnore ? await countFiles(tree, { respectIgnore: false, signal }) : seen;
  const ignored = all > seen ? `; ${all - seen} ignored ones were left out (respect_git_ignore)` : "";
  return `Nothing fits ${patterns.map((one) => `"${one}"`).join(", ")} among ${seen} files${ignored}`;
}
