/** Issues in words, for the model. Pure. */
import { boundedText } from "../format/item_text.ts";
import { DEFAULT_PRIORITY, isClosed, type Issue } from "./issue.ts";
import type { IssueSet } from "./issue_set.ts";

/** One line: name, status, priority, title, and optional facts. */
export function issueLine(issue: Issue, set: IssueSet): string {
  const { name, status, priority, title, labels, assignee } = issue;
  const waits = isClosed(issue) ? [] : set.waitsFor(issue);
  return [
    name,
    status,
    ...priority === DEFAULT_PRIORITY ? [] : [`p${priority}`],
    ...title === name ? [] : [title],
    ...labels.length === 0 ? [] : [`[${labels.join(", ")}]`],
    ...assignee === undefined ? [] : [`@${assignee}`],
    ...waits.length === 0 ? [] : [`waits for ${waits.map(({ reference }) => reference).join(", ")}`],
  ].join("  ");
}

/** Everything about one issue; `rev` of its content. */
export function issueText(issue: Issue, set: IssueSet, rev: string): string {
  const { title, status, priority, labels, assignee, created, completed, discoveredFrom, id, file, fault } = issue;
  const depends = issue.dependsOn.map((reference) => {
    const found = set.resolve(reference);
    return `${reference} (${found.ok ? found.value.status : "not there"})`;
  });
  const circle = set.cycleThrough(issue);
  const facts = [
    `status ${status}`,
    `priority ${priority}`,
    ...labels.length === 0 ? [] : [`labels ${labels.join(", ")}`],
    ...assignee === undefined ? [] : [`assignee ${assignee}`],
    ...depends.length === 0 ? [] : [`depends on ${depends.join(", ")}`],
    ...discoveredFrom === undefined ? [] : [`discovered from ${discoveredFrom}`],
    ...created === undefined ? [] : [`created ${created}`],
    ...completed === undefined ? [] : [`completed ${completed}`],
    ...id === undefined ? [] : [`id ${id}`],
  ];
  const problems = [
    ...fault === undefined ? [] : [fault],
    ...issue.notes,
    ...circle === undefined ? [] : [`its dependencies form a cycle: ${circle.join(" -> ")}`],
  ];
  return [
    `${issue.name}: ${title}`,
    facts.join(", "),
    `${file.path}, rev ${rev}`,
    ...problems.map((problem) => `! ${problem}`),
    "",
    boundedText(issue.body, file.path),
  ].join("\n");
}

/** The facts of an issue for JSON. */
export function issueFacts(issue: Issue, set: IssueSet): Readonly<Record<string, unknown>> {
  const { name, id, title, status, priority, labels, dependsOn, assignee, created, completed, file } = issue;
  return {
    name,
    id,
    title,
    status,
    completed: isClosed(issue),
    priority,
    labels,
    depends_on: dependsOn,
    waits_for: isClosed(issue) ? [] : set.waitsFor(issue).map(({ reference }) => reference),
    assignee,
    created,
    completed_at: completed,
    path: file.path,
  };
}

/** A row for each issue. */
export function markdownTable(issues: readonly Issue[], set: IssueSet): string {
  const cell = (text: string) => text.replaceAll("|", "\\|");
  const rows = issues.map((issue) => {
    const { name, status, priority, title, labels, assignee } = issue;
    const waits = isClosed(issue) ? "" : set.waitsFor(issue).map(({ reference }) => reference).join(", ");
    return [name, status, String(priority), title, labels.join(", "), assignee ?? "", waits].map(cell).join(" | ");
  });
  return ["name | status | priority | title | labels | assignee | waits for", "- | - | - | - | - | - | -", ...rows]
    .map((row) => `| ${row} |`).join("\n");
}
