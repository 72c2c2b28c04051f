/** `issue_create`. */
import { UserError } from "../../../base/errors.ts";
import { shorten } from "../../../base/visible_text.ts";
import type { ToolArguments, ToolResult } from "../../frame/messages.ts";
import type { ToolContext } from "../../project/native_tool.ts";
import { said } from "../format/answer.ts";
import { newFront, splitText, type Yaml } from "../format/front_matter.ts";
import { contentOf, optionalLine, timestamp } from "../format/item_text.ts";
import { nameOf } from "../format/names.ts";
import { listOf, numberOf, textOf } from "../format/reading.ts";
import { newUlid, shortForm } from "../format/ulid.ts";
import { createNote, insistOnOwn, type NoteFile } from "../store/note_files.ts";
import type { Notes } from "../store/notes.ts";
import { DEFAULT_PRIORITY, firstHeading, readIssue } from "./issue.ts";
import { IssueSet } from "./issue_set.ts";
import { loadIssues } from "./load.ts";

const LONGEST_TITLE = 120;

/** See the definition. */
export async function createIssue(notes: Notes, args: ToolArguments, { project }: ToolContext): Promise<ToolResult> {
  const yaml = await notes.yaml();
  const content = contentOf(textOf(args, "content") ?? "");
  return await notes.lock.hold(project, async () => {
    const { set, listing } = loadIssues(yaml, project);
    insistOnOwn(listing);
    const id = newUlid();
    const name = chosenName(textOf(args, "name"), shortForm(id));
    const taken = set.all.find((issue) => issue.name.toLowerCase() === name);
    if (taken !== undefined) {
      throw new UserError(
        `Cannot create issue "${name}": "${taken.file.path}" is there (${taken.status}); ` +
          "choose another name, or issue_update changes it",
      );
    }
    const text = issueFile(yaml, { args, set, name, id, content });
    insistOnNoCircle(yaml, set, { name, text });
    if (!createNote(project, "issues", name, text)) {
      throw new UserError(`Cannot create issue "${name}": its file appeared just now; issue_show shows it`);
    }
    return said(`Created issue ${name}: ${listing.directory}/${name}.md, rev ${await notes.show(text)}`);
  });
}

/** The name for what a caller gave, else `otherwise`. @throws {UserError} When no file can have it. */
export function chosenName(given: string | undefined, otherwise: string): string {
  const name = nameOf(given ?? "");
  if (!name.ok) throw new UserError(`Cannot create it: ${name.problem}`);
  return name.value === "" ? otherwise : name.value;
}

interface NewIssue {
  readonly args: ToolArguments;
  readonly set: IssueSet;
  readonly name: string;
  readonly id: string;
  readonly content: string;
}

function issueFile(yaml: Yaml, { args, set, name, id, content }: NewIssue): string {
  const given = textOf(args, "name")?.trim();
  const heading = firstHeading(splitText(content).body);
  const title = textOf(args, "title") ?? (given !== undefined && given !== name ? given : heading ?? given);
  const labels = listOf(args, "labels");
  const dependsOn = dependencies(listOf(args, "depends_on"), set);
  const found = textOf(args, "discovered_from");
  const front = newFront(yaml, {
    id,
    title: shorten(title ?? firstLine(content) ?? name, LONGEST_TITLE),
    status: "open",
    priority: numberOf(args, "priority") ?? DEFAULT_PRIORITY,
    labels: labels.length > 0 ? labels.map((label) => shorten(label)) : undefined,
    depends_on: dependsOn.length > 0 ? dependsOn : undefined,
    assignee: optionalLine(textOf(args, "assignee")),
    created: timestamp(),
    discovered_from: found === undefined ? undefined : dependencies([found], set)[0],
  });
  return `---\n${front}---\n${content === "" ? "" : `\n${content.trimEnd()}\n`}`;
}

function firstLine(content: string): string | undefined {
  return content.split("\n").map((line) => line.trim()).find((line) => line !== "");
}

/** The names of the issues that are meant. @throws {UserError} When one is not there. */
export function dependencies(references: readonly string[], set: IssueSet): readonly string[] {
  return [
    ...new Set(references.map((reference) => {
      const found = set.resolve(reference);
      if (found.ok) return found.value.name;
      throw new UserError(found.problem);
    })),
  ];
}

/** @throws {UserError} When the file, as it would be, makes its issue wait for itself. */
export function insistOnNoCircle(
  yaml: Yaml,
  set: IssueSet,
  { name, text }: { readonly name: string; readonly text: string },
): void {
  const file: NoteFile = { name, path: name, text, problem: undefined, writtenAt: 0, completed: false };
  const changed = readIssue(yaml, file);
  const circle = new IssueSet([...set.all.filter((one) => one.name !== name), changed]).cycleThrough(changed);
  if (circle !== undefined) {
    throw new UserError(`Cannot use "depends_on": the dependencies would be a circle: ${circle.join(" -> ")}`);
  }
}
