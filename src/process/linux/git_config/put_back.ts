/** Finds repositories that were set aside (S24), says what git would act on, and puts them back for a person. */
import { nameText } from "../../../base/bytes.ts";
import { attempt } from "../../../base/errors.ts";
import type { ConfigEntries } from "../../../sandbox/git_config/config_entries.ts";
import { type Obeyed, obeyedIn } from "../../../sandbox/git_config/repository_form.ts";
import { ASIDE_NAMES, isInStore, setAsideAt, storesOf } from "../../../sandbox/git_config/set_aside_places.ts";
import type { PinnedDirectory } from "../../../sandbox/policy/policy.ts";
import type { FileCalls, OpenFiles } from "../../../system/open_files/file_calls.ts";
import { expected, isWithin, parentOf, realPath } from "../../../system/paths.ts";
import { readTextIfRegular } from "../../../system/reading/regular_file.ts";
import type { ConfigEditor } from "./edit_config.ts";
import { isAside, repositoryEntries, stateOf } from "./repository_facts.ts";
import type { TreePlace } from "./set_aside.ts";

const LONGEST_ORIGIN = 8192;
/** Bytes of a `.git` file, which says where the repository lies. */
const LONGEST_LED = 8192n;

export interface PutBackOptions {
  readonly calls: Pick<FileCalls, "begin">;
  readonly editor: Pick<ConfigEditor, "entriesOf">;
  readonly pin: (path: string) => PinnedDirectory | undefined;
}

/** Something that was set aside. */
export interface Aside {
  /** What git would find: a `.git`, or a directory that is a repository's own. */
  readonly path: string;
  readonly place: TreePlace;
  /** Relative to the tree: the directory that holds the content under the name `git`. */
  readonly wrapper: string;
}

/** What git would act on, with the values of configuration. */
export interface Judged {
  readonly obeyed: readonly Obeyed[];
  readonly config: ConfigEntries | undefined;
}

/** Paths that were set aside in the trees that hold the canonical directory; some may be gone since. */
export function asideAround(directory: string): readonly string[] {
  return treesAround(directory).flatMap((tree) =>
    storesOf(tree).flatMap((store) =>
      (expected(() => [...Deno.readDirSync(store)]) ?? [])
        .flatMap(({ name }) => readTextIfRegular(`${store}/${name}/origin`, LONGEST_ORIGIN) ?? [])
    ).filter((path) => !isInStore(parentOf(path), tree)) // goes back with what it is a part of
  );
}

export class PutBack {
  readonly #options: PutBackOptions;

  constructor(options: PutBackOptions) {
    this.#options = options;
  }

  /** What was set aside at a work tree, its `.git`, or a repository's own directory; empty: nothing. */
  find(path: string): readonly Aside[] {
    const named = path.endsWith("/.git") ? parentOf(path) : path;
    const directory = realPath(named);
    if (directory === undefined) return [];
    return this.#findIn(directory, ASIDE_NAMES);
  }

  #findIn(directory: string, names: readonly string[]): readonly Aside[] {
    return names.flatMap((name) => {
      const target = attempt(Error, () => Deno.readLinkSync(`${directory}/${name}`));
      const content = target === undefined ? undefined : setAsideAt(target);
      // A command may have made a link to anything.
      const top = treesAround(directory).find((one) =>
        content !== undefined && storesOf(one).some((store) => isWithin(content, store))
      );
      const tree = top === undefined ? undefined : this.#options.pin(top);
      if (tree === undefined || content === undefined) return [];
      const below = directory.slice(tree.path.length + 1) || ".";
      return [{
        path: name === ".git" ? `${directory}/.git` : directory,
        place: { tree, directory: below, name },
        wrapper: parentOf(content).slice(tree.path.length + 1),
      }];
    });
  }

  /** What git would obey once it is back; empty: nothing but history. */
  async judge({ path, place, wrapper }: Aside): Promise<Judged> {
    using files = this.#options.calls.begin();
    const isOwn = place.name !== ".git";
    const at = files.directory(place.tree, isOwn ? place.directory : wrapper);
    const stat = at === undefined ? undefined : files.stat(at, isOwn ? "" : "git");
    if (at === undefined || stat === undefined) return { obeyed: [], config: undefined };
    if (stat.kind !== "directory") {
      const fd = files.open(at, "git");
      const led = fd === undefined || stat.size > LONGEST_LED ? undefined : files.read(fd, stat.size);
      const config = led === undefined ? undefined : new Map([[".git", [nameText(led).trimEnd()]]]);
      return { obeyed: [{ name: ".git", state: stateOf(stat) }], config };
    }
    const found = repositoryEntries(files, at, isOwn ? "" : "git");
    if (found === undefined) return { obeyed: [{ name: "all of it", state: "" }], config: undefined };
    const config = found.config && await this.#options.editor.entriesOf(found.config);
    const content = files.directoryBelow(at, isOwn ? "." : "git");
    const isPart = (name: string) => content !== undefined && name !== "commondir" && isAside(files, content, name);
    const entries = found.entries.filter(({ name }) => !isPart(name) && !(isOwn && name === place.name));
    const facts = { ...found, entries, config, isOwn, place: { directory: path, isWorkTree: () => false } };
    return { obeyed: obeyedIn(facts), config };
  }

  /** False: commands moved something, or the system refuses. */
  putBack({ place: { tree, directory, name }, wrapper }: Aside): boolean {
    using files = this.#options.calls.begin();
    const to = files.directory(tree, directory);
    const from = files.directory(tree, wrapper);
    if (to === undefined || from === undefined) return false;
    if (!files.unlink(to, name) || !files.move(from, "git", to, name)) return false;
    this.#removeWrapper(files, tree, wrapper);
    const parts = name === ".git" ? this.#findIn(`${tree.path}/${directory}/${name}`, ["refs", "commondir"]) : [];
    return parts.every((part) => this.putBack(part));
  }

  #removeWrapper(files: OpenFiles, tree: PinnedDirectory, wrapper: string): void {
    const at = files.directory(tree, wrapper);
    if (at === undefined) return;
    files.unlink(at, "origin");
    const store = files.directory(tree, parentOf(`/${wrapper}`).slice(1));
    if (store !== undefined) files.removeDirectory(store, wrapper.slice(wrapper.lastIndexOf("/") + 1));
  }
}

/** The directory and all above it. */
function treesAround(directory: string): readonly string[] {
  return directory === "/" ? ["/"] : [directory, ...treesAround(parentOf(directory))];
}
