/** Tools that read issues. */
import { UserError } from "../../../base/errors.ts";
import { unwrapOrUserError as unwrap } from "../../../base/outcome.ts";
import { shorten } from "../../../base/visible_text.ts";
import { counted, shownValue } from "../../../base/text.ts";
import type { CallOf } from "../../definition/groups.ts";
import { STATUSES } from "../../definition/issues.ts";
import { textResult, type ToolResult } from "../../frame/messages.ts";
import type { ToolContext } from "../../project/native_tool.ts";
import { cutText, partLine, wordsOf } from "../format/item_text.ts";
import { readUpTo } from "../../files/read_chunks.ts";
import { leftOutLine } from "../store/note_files.ts";
import { Notes } from "../store/notes.ts";
import { isClosed, type Issue } from "./issue.ts";
import { compareIssues, type IssueSet, loadIssues } from "./issue_set.ts";
import { issueFacts, issueLine, issueText, markdownTable } from "./issue_texts.ts";
import type { Project } from "../../project/project.ts";

const DEFAULT_LIMIT = 50;
/** Characters of a line that a search shows. */
const LONGEST_EXCERPT = 160;

/** `issue_list`. */
export function listIssues(given: CallOf<"issue_list">, { project }: ToolContext): ToolResult {
  const { set, listing } = loadIssues(project);
  const { offset = 0, limit = DEFAULT_LIMIT, format } = given;
  const wanted = chosen(given, set).toSorted(compareIssues);
  const shown = wanted.slice(offset, offset + limit);
  const end = partLine(shown.length, wanted.length, offset, "issue") + leftOutLine(listing) +
    project.kept(Notes).foreignLine(listing);
  if (format === "json") {
    const facts = { total: wanted.length, issues: shown.map((issue) => issueFacts(issue, set)) };
    return textResult(JSON.stringify(facts, undefined, 1));
  }
  if (shown.length === 0) {
    const { directory } = listing;
    if (set.all.length === 0) return textResult(`There are no issues in ${directory}; issue_create writes one.${end}`);
    return textResult(`No such issue among ${counted(set.all.length, "issue")} in ${directory}.${end}`);
  }
  const lines = format === "markdown"
    ? markdownTable(shown, set)
    : shown.map((issue) => issueLine(issue, set)).join("\n");
  return textResult(lines + end);
}

function chosen(args: CallOf<"issue_list">, set: IssueSet): readonly Issue[] {
  const { labels = [], show_completed: closed = false, show_active: active = true, ready = false } = args;
  const statuses = args.status?.map((one) => one.toLowerCase().replaceAll("-", "_"));
  const known: readonly string[] = [...STATUSES, "conflict", "broken"];
  const unknown = statuses?.find((one) => !known.includes(one));
  if (unknown !== undefined) {
    throw new UserError(`Status ${shownValue(unknown)} does not exist; there are ${known.join(", ")}`);
  }
  return (ready ? set.ready() : set.all).filter((issue) =>
    (statuses?.includes(issue.status) ?? (isClosed(issue) ? closed : active)) &&
    labels.every((label) => issue.labels.includes(label))
  );
}

/** `issue_show`. */
export async function showIssue(
  { name, raw = false }: CallOf<"issue_show">,
  { project }: ToolContext,
): Promise<ToolResult> {
  const { set } = loadIssues(project);
  const issue = await meantIssue(set, name, project);
  if (issue === undefined) return textResult(nothingNext(set));
  const { text = "" } = issue.file;
  const rev = await project.kept(Notes).show(text);
  return textResult(raw ? cutText(text, issue.file.path) : issueText(issue, set, rev));
}

/** The issue that `name` means; undefined: no issue is `next`. @throws {UserError} For none, or several. */
export async function meantIssue(
  set: IssueSet,
  name: string,
  project: ToolContext["project"],
): Promise<Issue | undefined> {
  if (name === "next") return set.ready()[0];
  if (name === "current") {
    const branch = await currentBranch(project);
    const issue = set.ofBranch(branch);
    if (issue === undefined) {
      throw new UserError(`No issue has the name of the branch ${shownValue(branch)}, or its end`);
    }
    return issue;
  }
  return unwrap(set.resolve(name));
}

/** Says why there is no next issue. */
export function nothingNext(set: IssueSet): string {
  const open = set.all.filter((issue) => !isClosed(issue));
  if (open.length === 0) return "Nothing is left to do: no issue is open.";
  const lines = open.slice(0, DEFAULT_LIMIT).map((issue) => issueLine(issue, set));
  return `No issue can be started. Not complete:\n${lines.join("\n")}`;
}

/** `issue_all_complete`. */
export function allComplete(_: unknown, { project }: ToolContext): ToolResult {
  const { set } = loadIssues(project);
  if (set.all.length === 0) return textResult("There are no issues.");
  const left = set.all.filter((issue) => !isClosed(issue)).toSorted(compareIssues);
  const done = `${set.all.length - left.length} of ${counted(set.all.length, "issue")} complete`;
  if (left.length === 0) return textResult(`Yes: ${done}.`);
  const lines = left.slice(0, DEFAULT_LIMIT).map((issue) => issueLine(issue, set));
  const more = left.length > lines.length ? `\n[${left.length - lines.length} more]` : "";
  return textResult(`No: ${done}. Left:\n${lines.join("\n")}${more}`);
}

/** `issue_search`. */
export function searchIssues(
  { query, limit = DEFAULT_LIMIT }: CallOf<"issue_search">,
  { project }: ToolContext,
): ToolResult {
  const { set, listing } = loadIssues(project);
  const notes = project.kept(Notes);
  const words = wordsOf(query);
  const has = (text: string) => words.every((word) => text.includes(word));
  const heads = (issue: Issue) => [issue.name, issue.title, ...issue.labels].join("\n").toLowerCase();
  const found = set.all.filter((issue) => has(`${heads(issue)}\n${issue.body.toLowerCase()}`))
    .toSorted((one, other) => Number(has(heads(other))) - Number(has(heads(one))) || compareIssues(one, other));
  if (found.length === 0) return textResult(`No issue contains ${shownValue(query)}.${notes.foreignLine(listing)}`);
  const shown = found.slice(0, limit);
  const lines = shown.map((issue) => {
    const line = issue.body.split("\n").find((one) => words.some((word) => one.toLowerCase().includes(word)));
    return issueLine(issue, set) + (line === undefined ? "" : `\n  ${shorten(line, LONGEST_EXCERPT)}`);
  });
  const more = found.length > shown.length ? `\n[${found.length - shown.length} more; a higher limit shows them]` : "";
  return textResult(lines.join("\n") + more + notes.foreignLine(listing));
}

/** Maximum size of a HEAD file, bytes. */
const LONGEST_HEAD = 4096;

/** @throws {UserError} When the project is not a git work tree, or not on a branch. */
async function currentBranch(project: Project): Promise<string> {
  const link = await head(project, ".git");
  const [, directory = ".git"] = /^gitdir: (.+)/.exec(link ?? "") ?? [];
  const [, branch] = /^ref: refs\/heads\/(.+)/.exec(await head(project, `${directory}/HEAD`) ?? "") ?? [];
  if (branch === undefined) throw new UserError('Cannot tell the issue of "current": git is on no branch here');
  return branch.trim();
}

/** The beginning of a file; undefined: it is missing or unreadable. */
async function head(project: Project, path: string): Promise<string | undefined> {
  try {
    const opened = await project.open(path);
    try {
      return new TextDecoder().decode(readUpTo(opened, LONGEST_HEAD));
    } finally {
      opened[Symbol.dispose]();
    }
  } catch (thrown) {
    if (thrown instanceof UserError) return undefined;
    throw thrown;
  }
}
