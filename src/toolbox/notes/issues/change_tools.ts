/** Tools that change issues, each under the lock of the project. */
import { UserError } from "../../../base/errors.ts";
import type { ToolArguments, ToolResult } from "../../frame/messages.ts";
import type { NativeTool, ToolContext } from "../../project/native_tool.ts";
import { said } from "../format/answer.ts";
import type { FrontChange, FrontValue, Yaml } from "../format/front_matter.ts";
import { contentOf, optionalLine, timestamp } from "../format/item_text.ts";
import { givenList, numberOf, textOf } from "../format/reading.ts";
import { insistOnOwn, removeNote } from "../store/note_files.ts";
import { type Notes, revOf } from "../store/notes.ts";
import { createIssue, dependencies, insistOnNoCircle } from "./create_issue.ts";
import type { Issue } from "./issue.ts";
import type { IssueSet } from "./issue_set.ts";
import { issueLine, issueText } from "./issue_texts.ts";
import { loadIssues } from "./load.ts";
import { meantIssue, nothingNext } from "./read_tools.ts";

export function changeTools(notes: Notes): Readonly<Record<string, NativeTool>> {
  return {
    issue_create: (args, context) => createIssue(notes, args, context),
    issue_next: (args, context) => next(notes, args, context),
    issue_update: (args, context) => update(notes, args, context),
    issue_mark_complete: (args, context) => complete(notes, args, context),
    issue_delete: (args, context) => remove(notes, args, context),
  };
}

/** Without `claim` nothing is written. */
async function next(notes: Notes, args: ToolArguments, { project }: ToolContext): Promise<ToolResult> {
  const yaml = await notes.yaml();
  const by = optionalLine(textOf(args, "claim"));
  if (by === undefined) {
    const { set } = loadIssues(yaml, project);
    const [first] = set.ready();
    return said(
      first === undefined ? nothingNext(set) : issueText(first, set, await notes.show(first.file.text ?? "")),
    );
  }
  return await notes.lock.hold(project, async () => {
    if (loadIssues(yaml, project).set.ready(by).length === 0) return said(nothingNext(loadIssues(yaml, project).set));
    const { file } = await notes.change(project, undefined, () => {
      const { set, listing } = loadIssues(yaml, project);
      const [first] = set.ready(by);
      if (first === undefined) throw new UserError(nothingNext(set));
      const front = { status: "in_progress", assignee: by };
      return { listing, wanted: { file: first.file, fault: undefined, change: { front } } };
    });
    const { set } = loadIssues(yaml, project);
    const claimed = set.all.find((one) => one.name === file.name);
    if (claimed === undefined) throw new UserError(`Issue "${file.name}" is gone`);
    return said(`Claimed for ${by}.\n${issueText(claimed, set, await notes.show(claimed.file.text ?? ""))}`);
  });
}

async function update(notes: Notes, args: ToolArguments, { project }: ToolContext): Promise<ToolResult> {
  const yaml = await notes.yaml();
  const content = textOf(args, "content");
  const appends = args["append"] === true;
  if (appends && content === undefined) throw new UserError('"append" needs "content": the text to add');
  return await notes.lock.hold(project, async () => {
    let summary = "";
    const { file, before, after } = await notes.change(project, textOf(args, "expected_rev"), () => {
      const { set, listing } = loadIssues(yaml, project);
      const { file, fault, status } = given(set, args);
      const front = frontOf(args, set, status);
      if (Object.keys(front).length === 0 && content === undefined) {
        throw new UserError(
          "Nothing is given to change: content, title, status, priority, labels, depends_on, assignee",
        );
      }
      if (front["depends_on"] !== undefined) insistOnNoCircleWith(yaml, set, file.name, front["depends_on"]);
      summary = Object.keys(front).join(", ") + (content === undefined ? "" : `${appends ? " text added" : " text"}`);
      const text = content === undefined ? undefined : contentOf(content);
      const change = { front, ...appends ? { appended: text } : { body: text } };
      return { listing, wanted: { file, fault, change } };
    });
    const rev = await notes.show(after);
    if (before === after) return said(`Issue ${file.name} is that already, rev ${rev}`);
    return said(`Changed issue ${file.name}: ${summary.trim()}; ${file.path}, rev ${rev}`);
  });
}

function given(set: IssueSet, args: ToolArguments): Issue {
  const found = set.resolve(textOf(args, "name") ?? "");
  if (!found.ok) throw new UserError(found.problem);
  return found.value;
}

/** An empty value removes the key. */
function frontOf(args: ToolArguments, set: IssueSet, was: string): FrontChange {
  const front: Record<string, FrontValue | undefined> = {};
  const title = textOf(args, "title");
  if (title !== undefined) front["title"] = optionalLine(title);
  const status = textOf(args, "status");
  if (status !== undefined) {
    front["status"] = status;
    if (status === "complete" && was !== "complete") front["completed"] = timestamp();
    else if (status !== "complete" && was === "complete") front["completed"] = undefined;
  }
  const priority = numberOf(args, "priority");
  if (priority !== undefined) front["priority"] = priority;
  const labels = givenList(args, "labels")?.flatMap((label) => optionalLine(label) ?? []);
  if (labels !== undefined) front["labels"] = labels.length > 0 ? labels : undefined;
  const dependsOn = givenList(args, "depends_on");
  if (dependsOn !== undefined) {
    const names = dependencies(dependsOn.filter((one) => one !== ""), set);
    front["depends_on"] = names.length > 0 ? names : undefined;
  }
  const assignee = textOf(args, "assignee");
  if (assignee !== undefined) front["assignee"] = optionalLine(assignee);
  return front;
}

function insistOnNoCircleWith(yaml: Yaml, set: IssueSet, name: string, dependsOn: FrontValue): void {
  insistOnNoCircle(yaml, set, { name, text: `---\ndepends_on: ${JSON.stringify(dependsOn)}\n---\n` });
}

async function complete(notes: Notes, args: ToolArguments, { project }: ToolContext): Promise<ToolResult> {
  const yaml = await notes.yaml();
  return await notes.lock.hold(project, async () => {
    const { set } = loadIssues(yaml, project);
    const meant = await meantIssue(set, textOf(args, "name") ?? "", project);
    if (meant === undefined) throw new UserError(nothingNext(set));
    const ready = new Set(set.ready().map(({ name }) => name));
    const { before, after, file } = await notes.change(project, undefined, () => {
      const now = loadIssues(yaml, project);
      const issue = now.set.all.find((one) => one.name === meant.name);
      if (issue === undefined) throw new UserError(`Issue "${meant.name}" is gone`);
      const { file, fault, status } = issue;
      const front = status === "complete" ? {} : { status: "complete", completed: timestamp() };
      return { listing: now.listing, wanted: { file, fault, change: { front } } };
    });
    if (before === after) return said(`Issue ${file.name} is complete already.`);
    const now = loadIssues(yaml, project).set;
    const fresh = now.ready().filter(({ name }) => !ready.has(name)).map((issue) => issueLine(issue, now));
    const more = fresh.length === 0 ? "" : `\nReady now:\n${fresh.join("\n")}`;
    return said(`Completed issue ${file.name}, rev ${await notes.show(after)}${more}`);
  });
}

async function remove(notes: Notes, args: ToolArguments, { project }: ToolContext): Promise<ToolResult> {
  const yaml = await notes.yaml();
  return await notes.lock.hold(project, async () => {
    const { set, listing } = loadIssues(yaml, project);
    insistOnOwn(listing);
    const issue = given(set, args);
    const { file, name } = issue;
    const expected = textOf(args, "expected_rev");
    const rev = await revOf(file.text ?? "");
    if (expected !== undefined && expected !== rev) {
      throw new UserError(`Cannot delete issue "${name}": it is rev ${rev} now, and not ${expected}; read it again`);
    }
    const waiting = set.dependents(issue);
    removeNote(project, file);
    const more = waiting.length === 0 ? "" : `. These depend on it and wait for ever: ${waiting.join(", ")}`;
    return said(`Deleted ${file.path} (rev ${rev})${more}`);
  });
}
