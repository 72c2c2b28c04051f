/**
 * Removes a directory with any content. A command may have left a tree that is deeper than the longest path, or
 * directories that cannot be entered. So the code neither recurses nor uses deep paths. It first moves deeper
 * directories up into the root, which commands cannot write to.
 */

import { attempt, undefinedFor } from "../../base/errors.ts";
import { AT_FDCWD } from "../syscalls.ts";
import { FileCalls } from "./file_calls.ts";

/**
 * Removes `root`. Links are removed, not followed. `last`: a file in it that is removed after everything else.
 * @throws {Error} At the first entry that cannot be removed. A missing `root` is not an error.
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
      // It is checked only here: at its old place, a living process could have replaced it by a link.
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

/** Renames entries whose names are not valid text, links too; devices are removed at once. */
function giveDecodableNames(directory: string): void {
  const calls = new FileCalls();
  const files = calls.begin();
  try {
    const fd = files.open(AT_FDCWD, directory);
    for (const { name } of fd === undefined ? [] : files.entries(fd)) {
      if (fd === undefined || name.isWellFormed()) continue;
      if (!files.rename(fd, name, `.${crypto.randomUUID()}`)) files.unlink(fd, name);
    }
  } finally {
    for (const one of [files, calls]) one[Symbol.dispose]();
  }
}

/** Both are removed in direct succession, so that no other server finds a root without its last file. */
function removeEmptied(root: string, last: string | undefined): void {
  if (last !== undefined) attempt(Deno.errors.NotFound, () => Deno.removeSync(`${root}/${last}`));
  Deno.removeSync(root);
}

/** Moves an entry; a link is moved, not followed. Only a user with write access can move a directory. */
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
