/** State shared by the note tools while a worker lives: the lock, and texts that callers have read. */
import { UserError } from "../../../base/errors.ts";
import { encodeText } from "../../../base/text.ts";
import type { Project } from "../../project/project.ts";
import { revOf as revOfContent } from "../../project/seen_contents.ts";
import { diffOf } from "../../edit/unified_diff.ts";
import { changeText, type NoteChange, overlap } from "../format/edit_text.ts";
import { insistOnOwn, type NoteFile, type NoteListing, removeNote, replaceNote } from "./note_files.ts";
import { ProjectLock } from "./project_lock.ts";

/** Keeps a byte order mark, which is part of a text. */
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });
/** How often a change is retried if the file changes meanwhile. */
const MOST_TRIES = 5;

/** A change that a caller wants. */
export interface WantedChange {
  readonly listing: NoteListing;
  readonly item: {
    readonly file: NoteFile;
    /** Why the file is never rewritten; undefined: it may be. */
    readonly fault: string | undefined;
  };
  readonly change: NoteChange;
}

export interface ChangedNote {
  readonly file: NoteFile;
  readonly before: string;
  readonly after: string;
}

export class Notes {
  readonly lock: ProjectLock;
  readonly #project: Project;
  readonly #told = new Set<string>();

  constructor(project: Project) {
    this.lock = new ProjectLock(project);
    this.#project = project;
  }

  /** The fingerprint of a text that is shown to a caller. The text is remembered for later comparison. */
  async show(text: string): Promise<string> {
    const rev = await revOf(text);
    this.#project.seen.keep(rev, encodeText(text));
    return rev;
  }

  /** A line about notes of another program, only the first time; otherwise empty. */
  foreignLine({ isForeign, directory }: NoteListing): string {
    if (!isForeign || this.#told.has(directory)) return "";
    this.#told.add(directory);
    return `\nRead in place from "${directory}", read only; "ahma_mcp migrate" copies it to ".ahma".`;
  }

  /** Changes a file and merges what fits; `find` is called for each try. @throws {UserError} For a conflict. */
  async change(expectedRev: string | undefined, find: () => WantedChange): Promise<ChangedNote> {
    const known = expectedRev === undefined ? undefined : this.#project.seen.of(expectedRev);
    let seen = known && DECODER.decode(known);
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const { listing, item: { file, fault }, change } = find();
      insistOnOwn(listing);
      const { path, text: now = "" } = file;
      if (fault !== undefined) throw new UserError(`Cannot change "${path}": ${fault}; fix it with files_edit first`);
      if (expectedRev !== undefined && seen === undefined && await revOf(now) !== expectedRev) {
        const rev = await this.show(now);
        throw new UserError(
          `Cannot change "${path}": it is not what you read as rev ${expectedRev}, but rev ${rev} now. ` +
            "Read it again",
        );
      }
      if (seen !== undefined && seen !== now) await insistOnFit({ path, seen, now, rev: await this.show(now) }, change);
      const after = changeText(now, change);
      if (!after.ok) throw new UserError(`Cannot change "${path}": ${after.problem}`);
      if (after.value === now || replaceNote(this.#project, file, after.value)) {
        return { file, before: now, after: after.value };
      }
      seen = now;
    }
    throw new UserError("Cannot change the file: it keeps changing while it is written");
  }

  /** Removes a file; the message about it. @throws {UserError} For another `rev`, or another program's file. */
  async remove(what: string, listing: NoteListing, file: NoteFile, expectedRev: string | undefined): Promise<string> {
    insistOnOwn(listing);
    const rev = await revOf(file.text ?? "");
    if (expectedRev !== undefined && expectedRev !== rev) {
      throw new UserError(`Cannot delete ${what}: it is rev ${rev} now, not ${expectedRev}; read it again`);
    }
    removeNote(this.#project, file);
    return `Deleted ${file.path} (rev ${rev})`;
  }
}

/** The `rev` of a text, equal to that of its file. */
export async function revOf(text: string): Promise<string> {
  return await revOfContent(encodeText(text));
}

interface Changed {
  readonly path: string;
  readonly seen: string;
  readonly now: string;
  readonly rev: string;
}

async function insistOnFit({ path, seen, now, rev }: Changed, change: NoteChange): Promise<void> {
  const fits = overlap({ seen, now }, change);
  if (fits.ok) return;
  const { text } = diffOf(seen, now, "utf-16le", await import("diff"));
  throw new UserError(
    `Cannot change "${path}": ${fits.problem} was changed since you read it. It is rev ${rev} now:\n${text}\n` +
      `Change it with this in mind, and expected_rev ${rev}`,
  );
}
