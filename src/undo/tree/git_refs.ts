/** Refs of a repository, read without git: a moved ref is reported, because no undo touches it. */
import { nameText } from "../../base/bytes.ts";
import type { OpenFiles } from "../../system/open_files/file_calls.ts";
import type { MovedRef } from "../model/change.ts";
import { GIT } from "./looking.ts";
import { type Roots, smallContent } from "./roots.ts";
import type { TreeWatch } from "./tree_watch.ts";

/** The value of each ref, by repository and name. */
export type Refs = ReadonlyMap<string, string>;

const MOST_BYTES = 16n * 1024n * 1024n;
const MOST_NAMES = 100_000;

/** Whether a changed path may hold a ref. */
export function isOfRefs(path: string): boolean {
  return /\/\.git(?:\/(?:HEAD|packed-refs|refs(?:\/.*)?))?$/.test(path);
}

/** All refs of the repositories at the directories of a project. */
export function readRefs(files: OpenFiles, roots: Roots, watch: TreeWatch): Refs {
  const refs = new Map<string, string>();
  for (const { path } of roots.all) {
    const repository = `${path}/${GIT}`;
    const fd = roots.directory(repository);
    if (fd === undefined) continue;
    watch.add(repository, fd);
    const key = (name: string) => `${repository}\0${name}`;
    for (const line of (textOf(files, fd, "packed-refs") ?? "").split("\n")) {
      const [, value, name] = /^([0-9a-f]{40,64}) (.+)$/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) refs.set(key(name), value);
    }
    const head = textOf(files, fd, "HEAD")?.trim();
    if (head !== undefined) refs.set(key("HEAD"), head);
    files.drop(fd);
    readLoose(files, roots, watch, { repository, refs });
  }
  return refs;
}

function readLoose(
  files: OpenFiles,
  roots: Roots,
  watch: TreeWatch,
  { repository, refs }: { readonly repository: string; readonly refs: Map<string, string> },
): void {
  const waiting = ["refs"];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const fd = roots.directory(`${repository}/${name}`);
    if (fd === undefined) continue;
    watch.add(`${repository}/${name}`, fd);
    for (const entry of files.entries(fd)) {
      const below = `${name}/${entry.name}`;
      if (entry.kind === "directory") waiting.push(below);
      else if (refs.size < MOST_NAMES && !entry.name.endsWith(".lock")) {
        const value = textOf(files, fd, entry.name)?.trim();
        if (value !== undefined) refs.set(`${repository}\0${below}`, value);
      }
    }
    files.drop(fd);
  }
}

/** The refs that moved between two scans. */
export function movedRefs(before: Refs, after: Refs): readonly MovedRef[] {
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].filter((key) => before.get(key) !== after.get(key)).sort().map((key) => {
    const [repository = "", name = ""] = key.split("\0");
    return { repository, name, before: before.get(key), after: after.get(key) };
  });
}

function textOf(files: OpenFiles, directory: number, name: string): string | undefined {
  const bytes = smallContent(files, files.open(directory, name), MOST_BYTES);
  return bytes && nameText(bytes);
}
