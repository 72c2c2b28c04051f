/** Drafts that a killed process left before it renamed them. A later write to the directory removes them. */
import type { OpenFiles } from "../open_files/file_calls.ts";

const MARK = ".ahma-";
const DRAFT = /^\.ahma-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Minimum age of a draft that is removed, milliseconds. A younger one may belong to another server. */
const LEFT_AFTER_MS = 3_600_000;

/** A name for a draft. */
export function draftName(): string {
  return MARK + crypto.randomUUID();
}

/** Directories that this process has already searched. */
export class LeftDrafts {
  readonly #seen = new Set<string>();

  /** Removes the drafts in a directory, only once per directory, because it reads all entries. */
  removeFrom(files: OpenFiles, directory: number): void {
    const stat = files.stat(directory, "");
    const key = `${stat?.device} ${stat?.inode}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const fd = files.directoryBelow(directory, ".");
    if (fd === undefined) return;
    const names = files.entries(fd).map(({ name }) => name).filter((name) => DRAFT.test(name));
    files.drop(fd);
    for (const name of names) if (isLeft(files, directory, name)) files.unlink(directory, name);
  }
}

function isLeft(files: OpenFiles, directory: number, name: string): boolean {
  const stat = files.stat(directory, name);
  const writtenAt = files.writtenAt(directory, name);
  return stat !== undefined && writtenAt !== undefined && stat.kind === "file" &&
    stat.uid === Deno.uid() && Date.now() - writtenAt > LEFT_AFTER_MS;
}
