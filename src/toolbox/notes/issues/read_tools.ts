/** Tools that read issues. */
import { UserError } from "../../../base/errors.ts";
import { shorten } from "../../../base/visible_text.ts";
import { counted, shownValue } from "../../../base/text.ts";
import type { ToolArguments, ToolResult } from "../../frame/messages.ts";
import type { NativeTool, ToolContext } from "../../project/native_tool.ts";
import { said } from "../format/answer.ts";
import { cutText } from "../format/item_text.ts";
import { givenList, listOf, numberOf, textOf } from "../format/reading.ts";
import { currentBranch } from "../store/current_branch.ts";
import { leftOutLine } from "../store/note_files.ts";
import type { Notes } from "../store/notes.ts";
import { isClosed, type Issue, STATUSES } from "./issue.ts";
import { compareIssues, type IssueSet } from "./issue_set.ts";
import { issueFacts, issueLine, issueText, markdownTable, partLine } from "./issue_texts.ts";
import { loadIssues } from "./load.ts";

const DEFAULT_LIMIT = 50;
/** Characters of a line that a search shows. */
const LONGEST_EXCERPT = 160;

export function readTools(notes: Notes): Readonly<Record<string, NativeTool>> {
  return {
    issue_list: (args, context) => list(notes, args, context),
    issue_show: (args, context) => show(notes, args, context),
    issue_all_complete: (_, context) => allComplete(notes, context),
    issue_search: (args, context) => search(notes, args, context),
  };
}

async function list(notes: Notes, args: ToolArguments, { project }: ToolContext): Promise<ToolResult> {
  const { set, listing } = loadIssues(await notes.yaml(), project);
  const wanted = (await chosen(args, set)).toSorted(compareIssues);
  const offset = numberOf(args, "offset") ?? 0;
  const shown = wanted.slice(offset, offset + (numberOf(args, "limit") ?? DEFAULT_LIMIT));
  const end = partLine(shown.length, wanted.length, offset) + leftOutLine(listing) + notes.foreignLine(listing);
  const format = textOf(args, "format");
  if (format === "json") {
    const facts = { total: wanted.length, issues: shown.map((issue) => issueFacts(issue, set)) };
    return said(JSON.stringify(facts, undefined, 1));
  }
  if (shown.length === 0) {
    const { directory } = listing;
    if (set.all.length === 0) return said(`There are no issues in ${directory}; issue_create writes one.${end}`);
    return said(`No such issue among ${counted(set.all.length, "issue")} in ${directory}.${end}`);
  }
  const lines = format === "markdown"
    ? markdownTable(shown, set)
    : shown.map((issue) => issueLine(issue, set)).join("\n");
  return said(lines + end);
}

function chosen(args: ToolArguments, set: IssueSet): Promise<readonly Issue[]> {
  const labels = listOf(args, "labels");
  const statuses = givenList(args, "status")?.map((one) => one.toLowerCase().replaceAll("-", "_"));
  const known: readonly string[] = [...STATUSES, "conflict", "broken"];
  const unknown = statuses?.find((one) => !known.includes(one));
  if (unknown !== undefined) {
    return Promise.reject(new UserError(`Status ${shownValue(unknown)} does not exist; there are ${known.join(", ")}`));
  }
  const closed = args["show_completed"] === true;
  const active = args["show_active"] !== false;
  const base = args["ready"] === true ? set.ready() : set.all;
  return Promise.resolve(
    base.filter((issue) =>
      (statuses?.includes(issue.status) ?? (isClosed(issue) ? closed : active)) &&
      labels.every((label) => issue.labels.includes(label))
    ),
  );
}

async function show(notes: Notes, args: ToolArguments, { project }: ToolContext): Promise<ToolResult> {
  const { set } = loadIssues(await notes.yaml(), project);
  const issue = await meantIssue(set, textOf(args, "name") ?? "", project);
  if (issue === undefined) return said(nothingNext(set));
  const { text = "" } = issue.file;
  const rev = await notes.show(text);
  return said(args["raw"] === true ? cutText(text, issue.file.path) : issueText(issue, set, rev));
}

/**
 * What `name` means; undefined: it is `next`, and nothing is.
 * @throws {UserError} When it means none, or several.
 */
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
  const found = set.resolve(name);
  if (!found.ok) throw new UserError(found.problem);
  return found.value;
}

/** Says why there is no next issue. */
export function nothingNext(set: IssueSet): string {
  const open = set.all.filter((issue) => !isClosed(issue));
  if (open.length === 0) return "Nothing is left to do: no issue is open.";
  const lines = open.slice(0, DEFAULT_LIMIT).map((issue) => issueLine(issue, set));
  return `No issue can be begun. Not complete:\n${lines.join("\n")}`;
}

async function allComplete(notes: Notes, { project }: ToolContext): Promise<ToolResult> {
  const { set } = loadIssues(await notes.yaml(), project);
  if (set.all.length === 0) return said("There are no issues.");
  const left = set.all.filter((issue) => !isClosed(issue)).toSorted(compareIssues);
  const done = `${set.all.length - left.length} of ${counted(set.all.length, "issue")} complete`;
  if (left.length === 0) return said(`Yes: ${done}.`);
  const lines = left.slice(0, DEFAULT_LIMIT).map((issue) => issueLine(issue, set));
  const more = left.length > lines.length ? `\n[${left.length - lines.length} more]` : "";
  return said(`No: ${done}. Left:\n${lines.join("\n")}${more}`);
}

async function search(notes: Notes, args: ToolArguments, { project }: ToolContext): Promise<ToolResult> {
  const { set, listing } = loadIssues(await notes.yaml(), project);
  const query = textOf(args, "query") ?? "";
  const words = query.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const has = (text: string) => words.every((word) => text.includes(word));
  const heads = (issue: Issue) => [issue.name, issue.title, ...issue.labels].join("\n").toLowerCase();
  const found = set.all.filter((issue) => has(`${heads(issue)}\n${issue.body.toLowerCase()}`))
    .toSorted((one, other) => Number(has(heads(other))) - Number(has(heads(one))) || compareIssues(one, other));
  if (found.length === 0) return said(`No issue contains ${shownValue(query)}.${notes.foreignLine(listing)}`);
  const shown = found.slice(0, numberOf(args, "limit") ?? DEFAULT_LIMIT);
  const lines = shown.map((issue) => {
    const line = issue.body.split("\n").find((one) => words.some((word) => one.toLowerCase().includes(word)));
    return issueLine(issue, set) + (line === undefined ? "" : `\n  ${shorten(line, LONGEST_EXCERPT)}`);
  });
  const more = found.length > shown.length ? `\n[${found.length - shown.length} more; a higher limit shows them]` : "";
  return said(lines.join("\n") + more + notes.foreignLine(listing));
}
