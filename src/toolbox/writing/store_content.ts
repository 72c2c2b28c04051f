/** Stores and removes the file that a call changes, and makes the directories on its way. */
import { LeftDrafts } from "../../system/replace/left_drafts.ts";
import { type CurrentFile, removeFile, type StoredFile, storeFile } from "../../system/replace/store_file.ts";
import { AT_FDCWD, EEXIST } from "../../system/syscalls.ts";
import { expected, parentOf } from "../../system/paths.ts";
import { problemOf, type Target } from "./target.ts";
import { isSameFile, type Stat } from "../../system/open_files/file_calls.ts";
import { deniedChange } from "../project/protection.ts";

/** The outcome; `conflict`: another program changed the file in the meantime, and nothing was written. */
export type Stored = Exclude<StoredFile, { kind: "refused" }>;

const CONFLICT: Stored = { kind: "conflict" };

/**
 * Stores the content; a new file gets the rights of `like`, or without it those of any new file.
 * @throws {UserError} When the system refuses; the old content is there then.
 */
export function storeContent(target: Target, content: Uint8Array<ArrayBuffer>, like?: CurrentFile): Stored {
  const directory = target.directory ?? makeParents(target);
  if (directory === undefined) return CONFLICT;
  const { files, current, project } = target;
  project.kept(LeftDrafts).removeFrom(files, directory);
  if (current !== undefined && current.stat.links > 1) insistOnOwnFile(target, current.stat);
  return settled(target, storeFile({ ...target, directory }, content, like));
}

/** Removes the file. @throws {UserError} When the system refuses. */
export function removeTarget(target: Target): Stored {
  const { directory } = target;
  return directory === undefined ? CONFLICT : settled(target, removeFile({ ...target, directory }));
}

/** Undefined: a directory on the way was exchanged. */
function makeParents({ project, place, files }: Target): number | undefined {
  const names = parentOf(place.path).slice(place.root.length + 1).split("/");
  let path = place.root;
  for (const name of names) {
    const parent = project.directoryOf(files, { ...place, path: `${path}/${name}` });
    if (parent === undefined) return undefined;
    if (!files.makeDirectory(parent, name) && files.errno !== EEXIST) {
      throw problemOf(`Cannot make the directory "${path}/${name}"`, files.errno, { place, setup: project.setup });
    }
    path = `${path}/${name}`;
  }
  return project.directoryOf(files, place);
}

function settled({ place, project: { setup } }: Target, stored: StoredFile): Stored {
  if (stored.kind !== "refused") return stored;
  throw problemOf(`Cannot write "${place.shown}"`, stored.errno, { place, setup });
}

/** A protected directory with more entries is taken to hold the file. */
const MOST_ENTRIES = 2000;

/** @throws {DeniedError} When a protected path is a name of the same file. */
function insistOnOwnFile({ project: { setup }, place, files }: Target, wanted: Stat): void {
  const left = { entries: MOST_ENTRIES };
  // An absolute path is seen from no directory.
  const isWanted = (path: string) => isSameFile(files.stat(AT_FDCWD, path), wanted);
  for (const { path, flags, fileOnly, writable = [] } of setup.protection?.paths ?? []) {
    const isProtected = (one: string) => isWanted(one) && !writable.some((name) => one.startsWith(`${path}/${name}/`));
    if (isProtected(path) || !fileOnly && holds(path, isProtected, left)) throw deniedChange(place, setup, flags);
  }
}

function holds(directory: string, isWanted: (path: string) => boolean, left: { entries: number }): boolean {
  const entries = expected(() => [...Deno.readDirSync(directory)]) ?? [];
  left.entries -= entries.length;
  return left.entries < 0 || entries.some(({ name, isDirectory }) => {
    const path = `${directory}/${name}`;
    return isWanted(path) || isDirectory && holds(path, isWanted, left);
  });
}
