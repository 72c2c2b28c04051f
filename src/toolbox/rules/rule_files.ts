/** The files of a project that rules examine (K8). */
import { UserError } from "../../base/errors.ts";
import { compareText } from "../../base/text.ts";
import { parseStatus } from "../changes/parse_changes.ts";
import { pathTest } from "../find/glob_pattern.ts";
import { filesThatFit, noFileFits } from "../find/list_files.ts";
import type { ToolContext } from "../project/native_tool.ts";
import type { Project } from "../project/project.ts";
import { runGit } from "../project/programs.ts";
import type { Tree } from "../../system/tree/tree.ts";
import { ignoredRules } from "./format/ignore_comments.ts";

export interface FileChoice {
  /** Patterns, files or directories; undefined: all files. */
  readonly paths: readonly string[] | undefined;
  /** Whether only uncommitted files count. */
  readonly changed: boolean;
}

/** Longer files are left out as generated. */
const LONGEST_FILE = 1024 * 1024;

/** Sorted paths of the project without ignored files. @throws {UserError} When none matches, probably a mistake. */
export async function chooseFiles(
  tree: Tree,
  { project, signal }: ToolContext,
  { paths, changed }: FileChoice,
): Promise<readonly string[]> {
  const isChanged = changed ? await changedFiles(project, signal) : undefined;
  const fits = paths === undefined
    ? () => true
    : pathTest(paths, { caseSensitive: true, directory: project.directory });
  const found = await filesThatFit(tree, (path) => fits(path) && (isChanged?.has(path) ?? true), signal);
  if (found.length === 0 && paths !== undefined && !changed) throw noFileFits(paths);
  return found.toSorted(compareText);
}

/** @throws {UserError} When this is not a repository. */
async function changedFiles({ directory }: Project, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const git = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await runGit(words, { directory, signal });
    if (code !== 0) throw new UserError(`Cannot find out what changed: ${stderr.trim()}`);
    return stdout;
  };
  // Paths are relative to the root of the repository, which may be above the project.
  const prefix = (await git("rev-parse", "--show-prefix")).trimEnd();
  const status = await git("status", "--porcelain=v2", "-z", "--untracked-files=all");
  return new Set(
    parseStatus(status).map(({ path }) => path).filter((path) => path.startsWith(prefix)).map((path) =>
      path.slice(prefix.length)
    ),
  );
}

/** A file for rules. */
export interface RuleText {
  readonly text: string;
  /** Patterns of the rules that it is exempt from. */
  readonly ignored: readonly string[];
}

/** Reads files and caches only the last one. */
export class RuleTexts {
  readonly #tree: Tree;
  readonly #longer = new Set<string>();
  #last: { readonly path: string; readonly text: RuleText | undefined } | undefined;

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  /** Files that were left out for their length. */
  get longer(): ReadonlySet<string> {
    return this.#longer;
  }

  /** Undefined: it is binary, too long, or gone. */
  read(path: string): RuleText | undefined {
    if (this.#last?.path === path) return this.#last.text;
    const text = this.#read(path);
    this.#last = { path, text };
    return text;
  }

  #read(path: string): RuleText | undefined {
    const full = this.#tree.fromRoot(path);
    const content = this.#tree.read(full, LONGEST_FILE);
    if (content === undefined && (this.#tree.stat(full)?.size ?? 0n) > LONGEST_FILE) this.#longer.add(path);
    if (content === undefined || content.includes(0)) return undefined;
    const text = new TextDecoder().decode(content);
    return { text, ignored: ignoredRules(text) };
  }
}
