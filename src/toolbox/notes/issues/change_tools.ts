/** Tools that change issues, each under the lock of the project. */
import { UserError } from "../../../base/errors.ts";
import { unwrapOrUserError as unwrap } from "../../../base/outcome.ts";
import type { CallOf } from "../../definition/groups.ts";
import { textResult, type ToolResult } from "../../frame/messages.ts";
import type { ToolContext } from "../../project/native_tool.ts";
import type { FrontChange } from "../format/front_matter.ts";
import { contentOf, filled, optionalLine, timestamp } from "../format/item_text.ts";
import { Notes } from "../store/notes.ts";
import { dependencies, insistOnNoCircle } from "./create_issue.ts";
import type { Issue } from "./issue.ts";
import { type IssueSet, loadIssues } from "./issue_set.ts";
import { issueLine, issueText } from "./issue_texts.ts";
import { meantIssue, nothingNext } from "./read_tools.ts";

/** `issue_next`. Without `claim` nothing is written. */
export async function nextIssue({ claim }: CallOf<"issue_next">, { project }: ToolContext): Promise<ToolResult> {
  const notes = project.kept(Notes);
  const by = optionalLine(claim);
  if (by === undefined) {
    const { set } = loadIssues(project);
    const [first] = set.ready();
    return textResult(
      first === undefined ? nothingNext(set) : issueText(first, set, await notes.show(first.file.text ?? "")),
    );
  }
  return await notes.lock.hold(async () => {
    const before = loadIssues(project).set;
    if (before.ready(by).length === 0) return textResult(nothingNext(before));
    const { file } = await notes.change(undefined, () => {
      const { set, listing } = loadIssues(project);
      const [first] = set.ready(by);
      if (first === undefined) throw new UserError(nothingNext(set));
      return { listing, item: first, change: { front: { status: "in_progress", assignee: by } } };
    });
    const { set } = loadIssues(project);
    const claimed = named(set, file.name);
    return textResult(`Claimed for ${by}.\n${issueText(claimed, set, await notes.show(claimed.file.text ?? ""))}`);
  });
}

/** `issue_update`. */
export async function updateIssue(given: CallOf<"issue_update">, { project }: ToolContext): Promise<ToolResult> {
  const notes = project.kept(Notes);
  const { content, append = false } = given;
  if (append && content === undefined) throw new UserError('"append" needs "content": the text to add');
  return await notes.lock.hold(async () => {
    let summary = "";
    const { file, before, after } = await notes.change(given.expected_rev, () => {
      const { set, listing } = loadIssues(project);
      const issue = unwrap(set.resolve(given.name));
      const front = frontOf(given, set, issue.status);
      if (Object.keys(front).length === 0 && content === undefined) {
        throw new UserError(
          "Give something to change: content, title, status, priority, labels, depends_on, assignee",
        );
      }
      if (front["depends_on"] !== undefined) {
        insistOnNoCircle(set, issue.name, `---\ndepends_on: ${JSON.stringify(front["depends_on"])}\n---\n`);
      }
      summary = Object.keys(front).join(", ") + (content === undefined ? "" : `${append ? " text added" : " text"}`);
      const text = content === undefined ? undefined : contentOf(content);
      return { listing, item: issue, change: { front, ...append ? { appended: text } : { body: text } } };
    });
    const rev = await notes.show(after);
    if (before === after) return textResult(`Issue ${file.name} is unchanged, rev ${rev}`);
    return textResult(`Changed issue ${file.name}: ${summary.trim()}; ${file.path}, rev ${rev}`);
  });
}

/** An empty value removes the key. */
function frontOf(given: CallOf<"issue_update">, set: IssueSet, was: string): FrontChange {
  const { title, status, priority, labels, depends_on: references, assignee } = given;
  const isComplete = status === undefined ? was === "complete" : status === "complete";
  return {
    ...title !== undefined && { title: optionalLine(title) },
    ...status !== undefined && { status },
    ...isComplete !== (was === "complete") && { completed: isComplete ? timestamp() : undefined },
    ...priority !== undefined && { priority },
    ...labels !== undefined && { labels: filled(labels.flatMap((label) => optionalLine(label) ?? [])) },
    ...references !== undefined && { depends_on: filled(dependencies(references.filter((one) => one !== ""), set)) },
    ...assignee !== undefined && { assignee: optionalLine(assignee) },
  };
}

/** `issue_mark_complete`. */
export async function completeIssue(
  { name }: CallOf<"issue_mark_complete">,
  { project }: ToolContext,
): Promise<ToolResult> {
  const notes = project.kept(Notes);
  return await notes.lock.hold(async () => {
    const { set } = loadIssues(project);
    const meant = await meantIssue(set, name, project);
    if (meant === undefined) throw new UserError(nothingNext(set));
    const ready = new Set(set.ready().map(({ name }) => name));
    const { before, after, file } = await notes.change(undefined, () => {
      const now = loadIssues(project);
      const item = named(now.set, meant.name);
      const front = item.status === "complete" ? {} : { status: "complete", completed: timestamp() };
      return { listing: now.listing, item, change: { front } };
    });
    if (before === after) return textResult(`Issue ${file.name} is complete already.`);
    const now = loadIssues(project).set;
    const fresh = now.ready().filter(({ name }) => !ready.has(name)).map((issue) => issueLine(issue, now));
    const more = fresh.length === 0 ? "" : `\nReady now:\n${fresh.join("\n")}`;
    return textResult(`Completed issue ${file.name}, rev ${await notes.show(after)}${more}`);
  });
}

/** The issue of exactly this name. @throws {UserError} When it no longer exists. */
function named(set: IssueSet, name: string): Issue {
  const issue = set.all.find((one) => one.name === name);
  if (issue === undefined) throw new UserError(`Issue "${name}" is gone`);
  return issue;
}

/** `issue_delete`. */
export async function deleteIssue(
  { name, expected_rev: rev }: CallOf<"issue_delete">,
  { project }: ToolContext,
): Promise<ToolResult> {
  const notes = project.kept(Notes);
  return await notes.lock.hold(async () => {
    const { set, listing } = loadIssues(project);
    const issue = unwrap(set.resolve(name));
    const waiting = set.dependents(issue);
    const deleted = await notes.remove(`issue "${issue.name}"`, listing, issue.file, rev);
    const more = waiting.length === 0 ? "" : `. These depend on it and wait forever: ${waiting.join(", ")}`;
    return textResult(deleted + more);
  });
}
