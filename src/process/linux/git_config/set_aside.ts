/**
 * Sets aside what would be a repository for git outside (S24): it is moved into a store, and a link stands in its place
 * that leads somewhere in the root of commands only. Commands go on as before; outside git finds no repository there.
 */
import { sameBytes } from "../../../base/bytes.ts";
import { attempt } from "../../../base/errors.ts";
import { encodeText } from "../../../base/text.ts";
import { linkTo, storesOf } from "../../../sandbox/git_config/set_aside_places.ts";
import type { PinnedDirectory } from "../../../sandbox/policy/policy.ts";
import { readTextIfRegular } from "../../../system/reading/regular_file.ts";
import { isWithin } from "../../../system/paths.ts";
import type { FileCalls, OpenFiles } from "../../../system/open_files/file_calls.ts";

/** Says where each thing was. */
const ORIGIN = "origin";
const CONTENT = "git";
const PRIVATE = 0o600;
const LONGEST_ORIGIN = 8192;
/** Git takes a directory that holds such a file for no repository, and looks no further. */
const GUARD = ".git";
const GUARD_TEXT = encodeText("Set aside by ahma_mcp: see ahma_mcp accept\n");
/** Nothing in a store is for git. */
const IGNORE = encodeText("*\n");

/** Something in a pinned tree. */
export interface TreePlace {
  readonly tree: PinnedDirectory;
  /** Relative to the tree. */
  readonly directory: string;
  readonly name: string;
}

/** Milliseconds that something stays whose link is gone: a command may have moved it where it is not looked for. */
const KEPT_MS = 7 * 86_400_000;
/** Git makes no deeper ones. */
const DEEPEST = 32;

export interface SetAsideOptions {
  readonly calls: Pick<FileCalls, "begin">;
  /** The number of each thing that is set aside. */
  readonly newId: () => string;
}

export class SetAside {
  readonly #options: SetAsideOptions;

  constructor(options: SetAsideOptions) {
    this.#options = options;
  }

  /** False: it could not be done, because the system refuses or commands went on moving things. */
  put({ tree, directory, name }: TreePlace): boolean {
    const { calls, newId } = this.#options;
    using files = calls.begin();
    const from = files.directory(tree, directory);
    const itself = `${tree.path}/${directory === "." ? name : `${directory}/${name}`}`;
    const found = openStore(files, tree, itself);
    if (from === undefined || found === undefined) return false;
    const id = newId();
    if (!files.makeDirectory(found.store, id)) return false;
    const wrapper = files.directoryBelow(found.store, id);
    if (wrapper === undefined) return false;
    const isMoved = () => files.move(from, name, wrapper, CONTENT);
    if (!isMoved()) {
      // A directory is moved only by who may write in it and in the one above.
      const moved = files.directory(tree, itself.slice(tree.path.length + 1));
      for (const one of [from, moved]) if (one !== undefined) files.openToOwner(one);
      if (!isMoved()) return false;
    }
    writeFile(files, wrapper, ORIGIN, encodeText(itself));
    const moved = files.directoryBelow(wrapper, CONTENT);
    if (moved !== undefined) writeFile(files, moved, GUARD, GUARD_TEXT);
    return files.makeLink(linkTo(found.path, id), from, name);
  }

  /** Removes what was set aside long ago and has no link any more. `now`: milliseconds since 1970. */
  clean(tree: PinnedDirectory, now: number): void {
    using files = this.#options.calls.begin();
    for (const path of storesOf(tree.path)) {
      const store = files.directory(tree, path.slice(tree.path.length + 1));
      const listed = store === undefined ? undefined : files.directoryBelow(store, ".");
      if (store === undefined || listed === undefined) continue;
      for (const { name } of files.entries(listed)) {
        const changedAt = Number((files.stat(store, name)?.changedAt ?? 0n) / 1_000_000n);
        if (changedAt === 0 || now - changedAt < KEPT_MS) continue;
        const origin = readTextIfRegular(`${path}/${name}/${ORIGIN}`, LONGEST_ORIGIN);
        const target = origin === undefined ? undefined : attempt(Error, () => Deno.readLinkSync(origin));
        if (origin !== undefined && target !== linkTo(path, name)) removeAll(files, store, name, DEEPEST);
      }
    }
  }

  /** Has what lies in a store, relative to the tree, be no repository for git outside; commands can write there too. */
  guard(tree: PinnedDirectory, directory: string): void {
    const { calls, newId } = this.#options;
    using files = calls.begin();
    const at = files.directory(tree, directory);
    const wrapper = files.directory(tree, directory.slice(0, directory.lastIndexOf("/")));
    if (at === undefined || wrapper === undefined || isGuarded(files, at)) return;
    files.openToOwner(at);
    files.move(at, GUARD, wrapper, newId());
    writeFile(files, at, GUARD, GUARD_TEXT);
  }
}

/** By descriptors alone: whatever commands move meanwhile, nothing outside the tree is removed. */
function removeAll(files: OpenFiles, directory: number, name: string, levels: number): void {
  const below = levels === 0 ? undefined : files.directoryBelow(directory, name);
  if (below === undefined) return void files.unlink(directory, name);
  for (const entry of files.entries(below)) removeAll(files, below, entry.name, levels - 1);
  files.drop(below);
  files.removeDirectory(directory, name);
}

function isGuarded(files: OpenFiles, directory: number): boolean {
  const fd = files.open(directory, GUARD);
  const content = fd === undefined ? undefined : files.read(fd, BigInt(GUARD_TEXT.length));
  return content !== undefined && sameBytes(content, GUARD_TEXT);
}

/** A store of a tree that does not lie in `moved`; made where there is none. */
function openStore(
  files: OpenFiles,
  tree: PinnedDirectory,
  moved: string,
): { readonly path: string; readonly store: number } | undefined {
  for (const path of storesOf(tree.path)) {
    if (isWithin(path, moved)) continue;
    const [name = "", ...above] = path.slice(tree.path.length + 1).split("/").toReversed();
    const parent = files.directory(tree, above.toReversed().join("/") || ".");
    if (parent === undefined) continue;
    files.makeDirectory(parent, name);
    const store = files.directoryBelow(parent, name);
    if (store === undefined) continue;
    writeFile(files, store, ".gitignore", IGNORE);
    return { path, store };
  }
  return undefined;
}

/** Nothing where the name is taken. */
function writeFile(files: OpenFiles, directory: number, name: string, content: Uint8Array<ArrayBuffer>): void {
  const fd = files.create(directory, name, PRIVATE);
  if (fd === undefined) return;
  files.writeAll(fd, content);
  files.drop(fd);
}
