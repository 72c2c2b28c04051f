/** All issues or memos of a project as files, with their paths and contents. */
import { UserError } from "../../../base/errors.ts";
import { counted } from "../../../base/text.ts";
import { shorten } from "../../../base/visible_text.ts";
import { expected } from "../../../system/paths.ts";
import type { Project } from "../../project/project.ts";
import { inMadeFolder, NoteFolder } from "./note_folder.ts";

export type NoteKind = "issues" | "memos";

export interface NoteFile {
  /** Without the ending. */
  readonly name: string;
  /** Relative to the project. */
  readonly path: string;
  /** Undefined: `problem` says why it was not read. */
  readonly text: string | undefined;
  /** Why it is never rewritten; undefined: it may be. */
  readonly problem: string | undefined;
  /** Milliseconds since 1970. */
  readonly writtenAt: number;
  /** Whether it lies in the directory of completed issues of the earlier program. */
  readonly completed: boolean;
}

export interface NoteListing {
  /** Relative to the project. */
  readonly directory: string;
  /** Whether the files are another program's and therefore read-only. */
  readonly isForeign: boolean;
  readonly files: readonly NoteFile[];
  /** How many files were not read because there are too many. */
  readonly cut: number;
  /** How many files are left out because their names have hidden characters. */
  readonly hidden: number;
}

/** Directories of other programs, tried in this order if ours has no notes. */
export const FOREIGN = [".swissarmyhammer", ".sah"] as const;
const ENDING = ".md";
const COMPLETE = "complete";
const MOST_FILES = 5_000;
/** Maximum length of all texts together, characters. */
const MOST_TEXT = 64 * 1024 * 1024;

/** Reads every item of the kind. @throws {UserError} When the path is not a directory. */
export function readNotes(project: Project, kind: NoteKind): NoteListing {
  const own = project.directories[kind];
  for (const directory of [own, ...FOREIGN.map((one) => `${one}/${kind}`)]) {
    const listing = readPlace(project, directory);
    if (listing.files.length > 0) return { ...listing, isForeign: directory !== own };
  }
  return { directory: own, isForeign: false, files: [], cut: 0, hidden: 0 };
}

/** Reads the notes of one directory and of its subdirectory `complete`; empty if there is none. */
export function readPlace(project: Project, directory: string): Omit<NoteListing, "isForeign"> {
  const files: NoteFile[] = [];
  const room = { text: MOST_TEXT, cut: 0, hidden: 0 };
  for (const completed of [false, true]) {
    const path = completed ? `${directory}/${COMPLETE}` : directory;
    using folder = completed && isOther(project, path) ? undefined : NoteFolder.open(project, path);
    if (folder === undefined) break;
    const all = folder.names().filter((name) => name.endsWith(ENDING) && !name.startsWith("."));
    const names = all.filter((name) => name === shorten(name, name.length));
    room.hidden += all.length - names.length;
    room.cut += Math.max(0, names.length - MOST_FILES);
    for (const name of names.slice(0, MOST_FILES)) {
      const read = room.text > 0 ? folder.read(name) : { text: undefined, problem: "there is too much to read" };
      if (read === undefined) continue;
      const { text, problem } = read;
      room.text -= text?.length ?? 0;
      files.push({
        name: name.slice(0, -ENDING.length),
        path: `${path}/${name}`,
        text,
        problem,
        writtenAt: folder.writtenAt(name),
        completed,
      });
    }
  }
  return { directory, files, cut: room.cut, hidden: room.hidden };
}

/** Whether something other than a directory is there. */
function isOther(project: Project, path: string): boolean {
  return expected(() => Deno.lstatSync(`${project.directory}/${path}`).isDirectory) === false;
}

/** A line about files that were left out; empty: none were. */
export function leftOutLine({ cut, hidden }: NoteListing): string {
  const lines = [
    ...cut === 0 ? [] : [`${counted(cut, "file")} more in the directory: too many to read`],
    ...hidden === 0 ? [] : [`${counted(hidden, "file")} left out: hidden characters or wide blanks in the name`],
  ];
  return lines.map((line) => `\n[${line}]`).join("");
}

/** @throws {UserError} For notes of another program. */
export function insistOnOwn({ isForeign, directory }: NoteListing): void {
  if (!isForeign) return;
  throw new UserError(
    `Cannot change files in "${directory}": they are read-only here. "ahma_mcp migrate" copies it to ".ahma"`,
  );
}

/** Creates a file of the kind; false: the name is taken. */
export function createNote(project: Project, kind: NoteKind, name: string, text: string): boolean {
  return inMadeFolder(project, project.directories[kind], (folder) => folder.create(name + ENDING, text));
}

/** Replaces a file if its content is still `text`; false: it has changed. */
export function replaceNote(project: Project, { path, text = "" }: NoteFile, after: string): boolean {
  return inParent(project, path, (folder, name) => folder.replace(name, { before: text, after }));
}

export function removeNote(project: Project, { path }: NoteFile): void {
  inParent(project, path, (folder, name) => folder.remove(name));
}

function inParent<Value>(project: Project, path: string, work: (folder: NoteFolder, name: string) => Value): Value {
  const end = path.lastIndexOf("/");
  using folder = NoteFolder.open(project, path.slice(0, end));
  if (folder === undefined) throw new UserError(`Cannot change "${path}": it is gone`);
  return work(folder, path.slice(end + 1));
}
