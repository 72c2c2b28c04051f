/** `issue_create`. */
import { UserError } from "../../../base/errors.ts";
import { unwrapOrUserError as unwrap } from "../../../base/outcome.ts";
import { shorten } from "../../../base/visible_text.ts";
import type { CallOf } from "../../definition/groups.ts";
import { textResult, type ToolResult } from "../../frame/messages.ts";
import type { ToolContext } from "../../project/native_tool.ts";
import { newFront, splitText } from "../format/front_matter.ts";
import { contentOf, filled, optionalLine, timestamp } from "../format/item_text.ts";
import { nameOf } from "../format/names.ts";
import { newUlid, shortForm } from "../format/ulid.ts";
import { createNote, insistOnOwn } from "../store/note_files.ts";
import { Notes } from "../store/notes.ts";
import { DEFAULT_PRIORITY, firstHeading, readIssue } from "./issue.ts";
import { IssueSet, loadIssues } from "./issue_set.ts";

const LONGEST_TITLE = 120;

/** See the definition. */
export async function createIssue(given: CallOf<"issue_create">, { project }: ToolContext): Promise<ToolResult> {
  const notes = project.kept(Notes);
  contentOf(given.content);
  return await notes.lock.hold(async () => {
    const { set, listing } = loadIssues(project);
    insistOnOwn(listing);
    const id = newUlid();
    const chosen = nameOf(given.name ?? "");
    if (!chosen.ok) throw new UserError(`Cannot create it: ${chosen.problem}`);
    const name = chosen.value || shortForm(id);
    const taken = set.all.find((issue) => issue.name.toLowerCase() === name);
    if (taken !== undefined) {
      throw new UserError(
        `Cannot create issue "${name}": "${taken.file.path}" is there (${taken.status}); ` +
          "choose another name, or issue_update changes it",
      );
    }
    const text = issueFile(given, set, name, id);
    insistOnNoCircle(set, name, text);
    if (!createNote(project, "issues", name, text)) {
      throw new UserError(`Cannot create issue "${name}": its file appeared just now; issue_show shows it`);
    }
    return textResult(`Created issue ${name}: ${listing.directory}/${name}.md, rev ${await notes.show(text)}`);
  });
}

function issueFile(args: CallOf<"issue_create">, set: IssueSet, name: string, id: string): string {
  const { content, labels = [], depends_on: references = [], discovered_from: found } = args;
  const given = args.name?.trim();
  const heading = firstHeading(splitText(content).body);
  const title = args.title ?? (given !== undefined && given !== name ? given : heading ?? given);
  const front = newFront({
    id,
    title: shorten(title ?? firstLine(content) ?? name, LONGEST_TITLE),
    status: "open",
    priority: args.priority ?? DEFAULT_PRIORITY,
    labels: filled(labels.map((label) => shorten(label))),
    depends_on: filled(dependencies(references, set)),
    assignee: optionalLine(args.assignee),
    created: timestamp(),
    discovered_from: found === undefined ? undefined : dependencies([found], set)[0],
  });
  return `---\n${front}---\n${content === "" ? "" : `\n${content.trimEnd()}\n`}`;
}

function firstLine(content: string): string | undefined {
  return content.split("\n").map((line) => line.trim()).find((line) => line !== "");
}

/** Resolves references to issue names. @throws {UserError} When one does not exist. */
export function dependencies(references: readonly string[], set: IssueSet): readonly string[] {
  return [...new Set(references.map((reference) => unwrap(set.resolve(reference)).name))];
}

/** @throws {UserError} When the new dependencies would form a circle. */
export function insistOnNoCircle(set: IssueSet, name: string, text: string): void {
  const changed = readIssue({ name, path: name, text, problem: undefined, writtenAt: 0, completed: false });
  const circle = new IssueSet([...set.all.filter((one) => one.name !== name), changed]).cycleThrough(changed);
  if (circle !== undefined) {
    throw new UserError(`Cannot use "depends_on": the dependencies would form a cycle: ${circle.join(" -> ")}`);
  }
}
