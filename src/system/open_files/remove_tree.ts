/**
 * Removes a directory with any content. A command may have left a tree deeper than any path can express, and
 * directories no user may enter: so nothing here recurses or names a deep path. What lies deeper is moved up into the
 * root first, which commands cannot write to.
 */

import { giveDecodableNames } from "./decodable_names.ts";
import { attempt, undefinedFor } from "../../base/errors.ts";

/**
 * Removes `root`. Links are removed, never followed. `last`: a file in it that is there until all else is gone.
 * @throws {Error} At the first thing that cannot be removed. Nothing when it is gone already.
 */
export async function removeTree(root: string, last?: string): Promise<void> {
  let moved = 0;
  const pending = [root];
  let isThere = false;
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    let entries = await entriesOf(directory);
    if (entries?.some(({ name }) => name.includes("\ufffd")) === true && Deno.build.os === "linux") {
      giveDecodableNames(directory);
      entries = await entriesOf(directory);
    }
    if (entries === undefined) continue;
    for (const { name, isDirectory, isSymlink } of entries) {
      if (directory === root && name === last) continue;
      const path = `${directory}/${name}`;
      if (!isDirectory || isSymlink) {
        await Deno.remove(path);
        continue;
      }
      const up = directory === root ? path : `${root}/.${++moved}-${crypto.randomUUID()}`;
      if (up !== path) await move(path, up);
      // Only here is it looked at: where it lay, a process that is still alive could have put a link in its place.
      const { isDirectory: still } = await Deno.lstat(up);
      if (still) await Deno.chmod(up, 0o700);
      if (still) pending.push(up);
      else await Deno.remove(up);
    }
    if (directory === root) isThere = true;
    else await Deno.remove(directory);
  }
  if (isThere) removeEmptied(root, last);
}

/** Right after each other: no later server takes a root without its last file for one that was left. */
function removeEmptied(root: string, last: string | undefined): void {
  if (last !== undefined) attempt(Deno.errors.NotFound, () => Deno.removeSync(`${root}/${last}`));
  Deno.removeSync(root);
}

/** Moves what is there, a link as a link. A directory can be moved only by who may write to it. */
async function move(from: string, to: string): Promise<void> {
  try {
    await Deno.rename(from, to);
  } catch (error) {
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
    if ((await Deno.lstat(from)).isDirectory) await Deno.chmod(from, 0o700);
    await Deno.rename(from, to);
  }
}

/** Undefined when there is nothing. */
async function entriesOf(directory: string): Promise<readonly Deno.DirEntry[] | undefined> {
  return await Array.fromAsync(Deno.readDir(directory)).catch(undefinedFor(Deno.errors.NotFound));
}
