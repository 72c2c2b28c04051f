/** Copies files of SwissArmyHammer to `.ahma`, notes with front matter. Nothing is overwritten or removed. */
import { attempt, UserError } from "../../../base/errors.ts";
import { counted } from "../../../base/text.ts";
import { textResult, type ToolResult } from "../../frame/messages.ts";
import type { ToolContext } from "../../project/native_tool.ts";
import type { Project } from "../../project/project.ts";
import { changeFront, type FrontChange, readFront, splitText } from "../format/front_matter.ts";
import { timestamp } from "../format/item_text.ts";
import { newNames } from "../format/names.ts";
import { newUlid } from "../format/ulid.ts";
import { firstHeading } from "../issues/issue.ts";
import { foreignTitles } from "../memos/memo.ts";
import { FOREIGN, type NoteFile, readPlace } from "../store/note_files.ts";
import { inFolder, inMadeFolder, NoteFolder } from "../store/note_folder.ts";
import { Notes } from "../store/notes.ts";
import { runGit } from "../../project/programs.ts";

const TODO = "todo.yaml";
const DEEPEST = 8;
const MOST_FILES = 5_000;
const MOST_LINES = 200;

/** One file to write. */
interface Copy {
  readonly from: string;
  /** Relative to the project. */
  readonly to: string;
  /** Undefined: `problem` says why it cannot be copied. */
  readonly text: string | undefined;
  readonly problem?: string;
}

interface MigrateArguments {
  /** Whether it only says what would be copied. */
  readonly dry_run: boolean;
}

/** Copies the missing files. */
export async function migrateNotes({ dry_run: isDry }: MigrateArguments, context: ToolContext): Promise<ToolResult> {
  const work = () => migrate(isDry, context);
  return isDry ? await work() : await context.project.kept(Notes).lock.hold(work);
}

async function migrate(isDry: boolean, { project, signal }: ToolContext): Promise<ToolResult> {
  const commits = await firstCommits(project, FOREIGN, signal);
  const copies = FOREIGN.flatMap((directory) => copiesOf(project, directory, commits));
  if (copies.length === 0) {
    return textResult(`There is nothing to migrate: no ${FOREIGN.join(" or ")} with files of it.`);
  }
  const taken = new Set<string>();
  const lines: string[] = [];
  let done = 0;
  for (const copy of copies) {
    const isThere = taken.has(copy.to) || exists(project, copy.to);
    taken.add(copy.to);
    if (isThere) continue;
    if (copy.text === undefined) {
      lines.push(`not copied: ${copy.from}: ${copy.problem ?? ""}`);
      continue;
    }
    if (!isDry) write(project, copy.to, copy.text);
    lines.push(`${copy.from} -> ${copy.to}`);
    done++;
  }
  const verb = isDry ? "would be copied" : "copied";
  const shown = lines.slice(0, MOST_LINES);
  if (lines.length > shown.length) shown.push(`[${lines.length - shown.length} more]`);
  const left = copies.length - lines.length;
  return textResult(
    [...shown, `${counted(done, "file")} ${verb}${left > 0 ? `, ${left} there already` : ""}`].join("\n"),
  );
}

function copiesOf(project: Project, directory: string, commits: ReadonlyMap<string, string>): readonly Copy[] {
  // Directories that are copied as they are.
  const copied = { prompts: ".ahma/prompts", workflows: project.directories.flows, rules: project.directories.rules };
  const issues = readPlace(project, `${directory}/issues`).files;
  const memos = readPlace(project, `${directory}/memos`).files.filter(({ completed }) => !completed);
  const names = { issues: newNames(issues.map(({ name }) => name)), memos: newNames(memos.map(({ name }) => name)) };
  const titleOf = foreignTitles(memos.map(({ name }) => name));
  const created = (file: NoteFile) => timeOf(commits.get(file.path), file.writtenAt);
  return [
    ...issues.map((file) => {
      const title = firstHeading(splitText(file.text ?? "").body) ?? file.name;
      const status = file.completed ? "complete" : "open";
      const to = `${project.directories.issues}/${names.issues.get(file.name) ?? file.name}.md`;
      return copyOf(file, to, { id: newUlid(), title, status, created: created(file) });
    }),
    ...memos.map((file) => {
      const to = `${project.directories.memos}/${names.memos.get(file.name) ?? file.name}.md`;
      return copyOf(file, to, { id: newUlid(), title: titleOf(file.name), created: created(file) });
    }),
    ...Object.entries(copied).flatMap(([from, to]) => filesIn(project, `${directory}/${from}`, to)),
    ...filesIn(project, directory, ".ahma/state").filter(({ from }) => from === `${directory}/${TODO}`),
  ];
}

/** Existing values of front matter are kept. */
function copyOf({ path: from, text, problem }: NoteFile, to: string, front: FrontChange): Copy {
  if (text === undefined) return { from, to, text, problem: problem ?? "it cannot be read" };
  const read = readFront(splitText(text).front);
  const known = read.ok ? read.value : {};
  const missing = Object.fromEntries(Object.entries(front).filter(([key]) => known[key] === undefined));
  const changed = changeFront(text, missing);
  return changed.ok ? { from, to, text: changed.value } : { from, to, text: undefined, problem: changed.problem };
}

function timeOf(commit: string | undefined, writtenAt: number): string {
  const time = commit === undefined ? writtenAt : Date.parse(commit);
  return timestamp(new Date(Number.isFinite(time) ? time : 0));
}

function filesIn(project: Project, from: string, to: string, depth = 0): readonly Copy[] {
  if (depth > DEEPEST) return [];
  // Links do not count.
  using folder = attempt(UserError, () => NoteFolder.open(project, from));
  if (folder === undefined) return [];
  const inner = new Set(folder.directories());
  const files = folder.names().slice(0, MOST_FILES).filter((name) => !inner.has(name)).map((name): Copy => {
    const found = folder.read(name);
    const place = { from: `${from}/${name}`, to: `${to}/${name}` };
    if (found?.text !== undefined && found.problem === undefined) return { ...place, text: found.text };
    return { ...place, text: undefined, problem: found?.problem ?? "it is gone" };
  });
  return [...files, ...[...inner].flatMap((name) => filesIn(project, `${from}/${name}`, `${to}/${name}`, depth + 1))];
}

function exists(project: Project, path: string): boolean {
  const end = path.lastIndexOf("/");
  const name = path.slice(end + 1).toLowerCase();
  const isIt = (one: string) => one.toLowerCase() === name;
  return inFolder(project, path.slice(0, end), (folder) => folder.names().some(isIt)) === true;
}

function write(project: Project, path: string, text: string): void {
  const end = path.lastIndexOf("/");
  inMadeFolder(project, path.slice(0, end), (folder) => folder.create(path.slice(end + 1), text));
}

const SECONDS = 20;

/** The time of the first commit by path, relative to the project; empty if git does not know the files. */
async function firstCommits(
  project: Project,
  directories: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const times = new Map<string, string>();
  const words = ["log", "--diff-filter=A", "--relative", "--name-only", "--format=%x01%aI", "-z", "--", ...directories];
  const late = AbortSignal.any([signal, AbortSignal.timeout(SECONDS * 1000)]);
  try {
    const { stdout } = await runGit(words, { directory: project.directory, signal: late });
    let time = "";
    // The newest commit comes first, so the oldest wins.
    for (const part of stdout.split(/[\0\n]/)) {
      if (part.startsWith("\x01")) time = part.slice(1);
      else if (part !== "") times.set(part, time);
    }
    return times;
  } catch (thrown) {
    if (thrown instanceof UserError || late.aborted) return times;
    throw thrown;
  }
}
