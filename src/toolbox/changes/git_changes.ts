/** `git_changes`: what a branch changes since it left its base, and what is not committed. */
import { UserError } from "../../base/errors.ts";
import { counted } from "../../base/text.ts";
import { visibleText } from "../../base/visible_text.ts";
import type { CallOf } from "../definition/groups.ts";
import { textResult, type ToolResult } from "../frame/messages.ts";
import type { ToolContext } from "../project/native_tool.ts";
import { runGit } from "../project/programs.ts";
import { type ChangedFile, parseNameStatus, parseStatus } from "./parse_changes.ts";

const DEFAULT_LIMIT = 300;
/** Usual base branches, for a remote without a default branch. */
const USUAL_BASES: readonly string[] = ["main", "master", "trunk"];

type Git = (...words: readonly string[]) => Promise<string | undefined>;

/** See the definition of `git_changes`. */
export async function gitChanges(args: CallOf<"git_changes">, context: ToolContext): Promise<ToolResult> {
  const { branch: named, base: wanted, include_uncommitted: uncommitted = true, limit = DEFAULT_LIMIT } = args;
  const git = gitIn(context);
  const current = (await git("symbolic-ref", "--short", "-q", "HEAD"))?.trim();
  const branch = named ?? current ?? "HEAD";
  const tip = await commitOf(git, branch);
  const base = await baseOf(git, branch, wanted);
  const lines: string[] = [];
  if (base === undefined) lines.push(`Branch ${branch}; no base was found: give one as "base".`);
  else {
    const start = (await git("merge-base", base, tip))?.trim();
    if (start === undefined) throw new UserError(`"${branch}" and "${base}" have no commit in common`);
    const diff = await git("diff", "--no-ext-diff", "--no-textconv", "-M", "--name-status", "-z", start, tip);
    const count = (await git("rev-list", "--count", `${start}..${tip}`))?.trim() ?? "0";
    const title = `Branch ${branch}, ${counted(Number(count), "commit")} since it left ${base} at ${
      start.slice(0, 12)
    }`;
    lines.push(...listed(title, parseNameStatus(diff ?? ""), limit));
  }
  if (uncommitted && (branch === current || branch === "HEAD")) {
    const status = await git("status", "--porcelain=v2", "-z", "--untracked-files=all");
    lines.push(...listed("Not committed", parseStatus(status ?? ""), limit));
  }
  return textResult(visibleText(lines.join("\n")));
}

/** Runs git; undefined: it reported an error. */
function gitIn({ project, signal }: ToolContext): Git {
  return async (...words) => {
    const { code, stdout, stderr } = await runGit(words, { directory: project.directory, signal });
    if (code === 0) return stdout;
    // 1 is the answer no; anything else says why git does not answer.
    if (code !== 1 && /not a git repository|dubious ownership/.test(stderr)) throw new UserError(stderr.trim());
    return undefined;
  };
}

async function commitOf(git: Git, name: string): Promise<string> {
  const found = await git("rev-parse", "--verify", "-q", "--end-of-options", `${name}^{commit}`);
  if (found !== undefined) return found.trim();
  const reason = name === "HEAD" ? "the repository has no commit yet" : "there is no such branch or commit";
  throw new UserError(`Cannot compare "${name}": ${reason}`);
}

/** The base that the branch is compared with; undefined: no usual base exists. */
async function baseOf(git: Git, branch: string, wanted: string | undefined): Promise<string | undefined> {
  if (wanted !== undefined) {
    await commitOf(git, wanted);
    return wanted;
  }
  const remote = (await git("symbolic-ref", "--short", "-q", "refs/remotes/origin/HEAD"))?.trim();
  const candidates = [
    ...remote === undefined ? [] : [remote],
    ...USUAL_BASES,
    ...USUAL_BASES.map((one) => `origin/${one}`),
  ];
  for (const candidate of candidates) {
    if (candidate === branch) continue;
    if (await git("rev-parse", "--verify", "-q", "--end-of-options", `${candidate}^{commit}`) !== undefined) {
      return candidate;
    }
  }
  return undefined;
}

function listed(title: string, files: readonly ChangedFile[], limit: number): readonly string[] {
  if (files.length === 0) return [`${title}: no file`];
  const rest = files.length - limit;
  return [
    `${title}: ${counted(files.length, "file")}`,
    ...files.slice(0, limit).map(({ letter, path, from }) =>
      from === undefined ? `${letter} ${path}` : `${letter} ${from} -> ${path}`
    ),
    ...rest > 0 ? [`${rest} more; a higher "limit" lists them`] : [],
  ];
}
