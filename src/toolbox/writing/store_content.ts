/** Stores and removes the file that a call changes, and makes the directories on its way. */
import { LeftDrafts } from "../../system/replace/left_drafts.ts";
import { type CurrentFile, removeFile, type StoredFile, storeFile } from "../../system/replace/store_file.ts";
import { EEXIST } from "../../system/syscalls.ts";
import { parentOf } from "../../system/paths.ts";
import { insistOnOwnFile } from "./shared_names.ts";
import { problemOf, type Target } from "./target.ts";

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
