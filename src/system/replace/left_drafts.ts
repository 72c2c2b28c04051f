/** Files that a killed process left between writing a content and giving it its name: removed at a later write there. */
import type { OpenFiles } from "../open_files/file_calls.ts";

const MARK = ".ahma-";
const DRAFT = /^\.ahma-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** A younger one may belong to a write of another server, milliseconds. */
const LEFT_AFTER_MS = 3_600_000;

/** A name for a draft. */
export function draftName(): string {
  return MARK + crypto.randomUUID();
}

/** Directories that were looked through while the process lives. */
export class LeftDrafts {
  readonly #seen = new Set<string>();

  /** Removes what is left in a directory, once: each look reads it whole. */
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
