/** Moves a repository into a store, behind a link that only commands can follow: git outside finds none (S24). */
import { attempt } from "../../../base/errors.ts";
import { encodeText } from "../../../base/text.ts";
import { ASIDE_NAMES, linkTo, storesOf } from "../../../sandbox/git_config/set_aside_places.ts";
import type { PinnedDirectory } from "../../../sandbox/policy/policy.ts";
import { readTextIfRegular } from "../../../system/reading/regular_file.ts";
import { isWithin } from "../../../system/paths.ts";
import type { FileCalls, OpenFiles } from "../../../system/open_files/file_calls.ts";
import { isThere } from "./repository_facts.ts";

/** Records where each thing was. */
const ORIGIN = "origin";
const CONTENT = "git";
const PRIVATE = 0o600;
/** Rights that the owner of a directory needs to list and move its entries. */
const OWNER = 0o700;
const LONGEST_ORIGIN = 8192;
/** Nesting levels of a repository: git makes one, and a command may make thousands. */
const MOST_PARTS = 64;
/** Tells git to ignore everything in a store. */
const IGNORE = encodeText("*\n");

/** Something in a pinned tree. */
export interface TreePlace {
  readonly tree: PinnedDirectory;
  /** Relative to the tree. */
  readonly directory: string;
  readonly name: string;
}

/** Milliseconds to keep an entry whose link is gone: a command may have moved the link out of view. */
const KEPT_MS = 7 * 86_400_000;
/** Git does not create deeper ones. */
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

  /** False: it failed, because the system refuses or commands kept moving things. */
  put(place: TreePlace): boolean {
    const content = this.#put(place);
    return content !== undefined && this.guard(place.tree, content);
  }

  /** Returns its new place, relative to the tree. */
  #put({ tree, directory, name }: TreePlace): string | undefined {
    const { calls, newId } = this.#options;
    using files = calls.begin();
    const from = files.directory(tree, directory);
    const itself = `${tree.path}/${directory === "." ? name : `${directory}/${name}`}`;
    const found = openStore(files, tree, itself);
    if (from === undefined || found === undefined) return undefined;
    const id = newId();
    if (!files.makeDirectory(found.store, id)) return undefined;
    const wrapper = files.directoryBelow(found.store, id);
    if (wrapper === undefined) return undefined;
    const link = linkTo(found.path, id);
    const isDone = () => {
      if (!files.makeLink(link, wrapper, CONTENT)) return false;
      if (files.exchangeAt(from, name, wrapper, CONTENT)) return true; // commands that run find it at any time
      files.unlink(wrapper, CONTENT);
      // Some file systems exchange nothing.
      return files.move(from, name, wrapper, CONTENT) && files.makeLink(link, from, name);
    };
    if (!isDone()) {
      // A directory is moved only by who may write in it and in the one above.
      const moved = files.directory(tree, itself.slice(tree.path.length + 1));
      for (const one of [from, moved]) if (one !== undefined) files.openToOwner(one);
      if (!isDone()) return undefined;
    }
    writeFile(files, wrapper, ORIGIN, encodeText(itself));
    return `${found.path.slice(tree.path.length + 1)}/${id}/${CONTENT}`;
  }

  /** Removes what was set aside long ago and no longer has a link. `now`: milliseconds since 1970. */
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

  /**
   * Ensures that git sees no repository in a store, where commands can write too: it sets aside what makes one. False:
   * there are too many entries.
   */
  guard(tree: PinnedDirectory, directory: string): boolean {
    const due = [directory];
    for (const next of due) {
      if (due.length > MOST_PARTS) return false;
      for (const name of this.#leadingNames(tree, next)) {
        const content = this.#put({ tree, directory: next, name });
        if (content !== undefined) due.push(content);
      }
    }
    return true;
  }

  #leadingNames(tree: PinnedDirectory, directory: string): readonly string[] {
    using files = this.#options.calls.begin();
    const at = files.directory(tree, directory);
    if (at === undefined) return [];
    const mode = files.stat(at, "")?.mode ?? 0;
    if ((mode & OWNER) !== OWNER) files.openToOwner(at); // nothing in it can be seen
    return ASIDE_NAMES.filter((name) => isThere(files, at, name));
  }
}

/** Uses descriptors only: even if commands move directories at the same time, nothing outside the tree is removed. */
function removeAll(files: OpenFiles, directory: number, name: string, levels: number): void {
  const below = levels === 0 ? undefined : files.directoryBelow(directory, name);
  if (below === undefined) return void files.unlink(directory, name);
  for (const entry of files.entries(below)) removeAll(files, below, entry.name, levels - 1);
  files.drop(below);
  files.removeDirectory(directory, name);
}

/** A store of a tree that is not inside `moved`; created if there is none. */
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

/** Does nothing if the name is taken. */
function writeFile(files: OpenFiles, directory: number, name: string, content: Uint8Array<ArrayBuffer>): void {
  const fd = files.create(directory, name, PRIVATE);
  if (fd === undefined) return;
  files.writeAll(fd, content);
  files.drop(fd);
}
