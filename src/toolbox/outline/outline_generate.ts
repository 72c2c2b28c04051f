/** `outline_generate`: the definitions of files without bodies (K4). */
import { setImmediate } from "node:timers";
import { pathTest, plainPath } from "../find/glob_pattern.ts";
import { filesThatFit, noFileFits } from "../find/list_files.ts";
import type { CallOf } from "../definition/groups.ts";
import { textResult, type ToolResult } from "../frame/messages.ts";
import type { ToolContext } from "../project/native_tool.ts";
import type { Tree } from "../../system/tree/tree.ts";
import { Grammars } from "./grammars.ts";
import { isOutlined, outlineText } from "./outline_text.ts";
import { readSource } from "./read_source.ts";
import { fileLines, type FileOutline, type SkippedFile, skippedLine, symbolData } from "./render.ts";

/** Approximate maximum length of an answer, characters. */
const MOST_CHARACTERS = 48 * 1024;
const DEFAULT_DEPTH = 10;
/** After this many files progress is reported, and other calls get a turn. */
const FILES_AT_ONCE = 16;

interface Outlines {
  readonly files: readonly FileOutline[];
  readonly skipped: readonly SkippedFile[];
  /** Number of examined files. */
  readonly seen: number;
}

interface Wanted {
  readonly paths: readonly string[];
  readonly depth: number;
}

/** See the definition of `outline_generate`. */
export async function outlineGenerate(args: CallOf<"outline_generate">, context: ToolContext): Promise<ToolResult> {
  const { path = ".", patterns, depth = DEFAULT_DEPTH, offset = 0, output_format: format = "text" } = args;
  using tree = await context.project.tree(path);
  const all = await selectFiles(tree, patterns, context.signal);
  if (all.length === 0) throw noFileFits(patterns);
  const limit = args.limit ?? all.length;
  const outlines = await outlinesOf(tree, { paths: all.slice(offset, offset + limit), depth }, context);
  const end = offset + outlines.seen;
  const rest = end < all.length
    ? `files ${offset + 1} to ${end} of ${all.length}; continue with offset ${end}, or show less with depth`
    : undefined;
  return await resultOf(outlines, { format, depth, rest });
}

/** Sorted paths of matching files, relative to the tree. An ignored file counts if it is named exactly. */
async function selectFiles(tree: Tree, patterns: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
  const directory = tree.place.path;
  const named = patterns.map((pattern) => plainPath(pattern, directory))
    .filter((path) => path !== "" && tree.isFile(tree.fromRoot(path)));
  const found = new Set([...await filesThatFit(tree, pathTest(patterns, { directory }), signal), ...named]);
  return [...found].toSorted();
}

/** Outlines until the answer is full. */
async function outlinesOf(tree: Tree, { paths, depth }: Wanted, { project, signal, progress }: ToolContext) {
  const grammars = project.kept(Grammars);
  const files: FileOutline[] = [];
  const skipped: SkippedFile[] = [];
  let length = 0;
  let seen = 0;
  for (const path of paths) {
    const shown = tree.shown(path);
    const source = isOutlined(path) ? readSource(tree, tree.fromRoot(path)) : undefined;
    const outline = source?.ok === false ? source : await outlineText(grammars, path, source?.value ?? "");
    if (outline.ok) {
      const file = { path: shown, symbols: outline.value };
      length += fileLines(file, depth).reduce((sum, line) => sum + line.length + 1, 0);
      if (length > MOST_CHARACTERS && files.length > 0) break;
      files.push(file);
    } else skipped.push({ path: shown, reason: outline.problem });
    seen++;
    if (seen % FILES_AT_ONCE === 0 || seen === paths.length) {
      progress({ progress: seen, total: paths.length, message: shown });
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    }
  }
  return { files, skipped, seen };
}

interface Answer {
  readonly format: "text" | "yaml" | "json";
  readonly depth: number;
  /** The part not shown; undefined: everything was shown. */
  readonly rest: string | undefined;
}

async function resultOf(outlines: Outlines, { format, depth, rest }: Answer): Promise<ToolResult> {
  const { files, skipped } = outlines;
  if (format === "text") {
    const lines = files.flatMap((file) => fileLines(file, depth));
    const shown = lines.join("\n");
    const cut = shown.length > MOST_CHARACTERS ? shown.slice(0, MOST_CHARACTERS).lastIndexOf("\n") : shown.length;
    const notes = [
      cut < shown.length ? "[the file defines more; depth shows less of each symbol]" : "",
      skippedLine(skipped),
      rest === undefined ? "" : `[${rest}]`,
    ];
    return textResult([shown.slice(0, cut), ...notes].filter((part) => part !== "").join("\n"));
  }
  const data = {
    files: Object.fromEntries(files.map(({ path, symbols }) => [path, symbols.map((one) => symbolData(one, depth))])),
    ...skipped.length > 0 && { skipped },
    ...rest !== undefined && { rest },
  };
  if (format === "json") return textResult(JSON.stringify(data));
  const { stringify } = await import("yaml");
  return textResult(stringify(data, { lineWidth: 0 }));
}
