/** Walks through a tree, directory by directory. Links are not followed, and `.git` is skipped. */
import type { EntryKind } from "../c_library.ts";
import type { Tree, TreeEntry } from "./tree.ts";
import { IGNORE_NAMES, IgnoreRules } from "./ignore_rules.ts";
import { Turns } from "./turns.ts";

export interface WalkOptions {
  /** Whether ignored directories are left out with their contents. */
  readonly respectIgnore: boolean;
  /** Decides what is left out; absent: the ignore rules of the tree decide. */
  readonly leavesOut?: (
    entry: { readonly path: string; readonly isDirectory: boolean; readonly isIgnored: boolean },
  ) => boolean;
  /** Maximum depth in directories; undefined: no limit. */
  readonly depth?: number;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** An entry below the directory of the walk. */
export interface Found {
  /** Relative to the root of the tree. */
  readonly path: string;
  readonly kind: EntryKind;
  readonly isIgnored: boolean;
}

interface Directory {
  readonly path: string;
  readonly depth: number;
  readonly rules: IgnoreRules;
}

const MOST_RULES_BYTES = 1024 * 1024;

/** The entries of each directory, sorted by name, with ignored ones marked. A directory comes before its entries. */
export async function* walk(tree: Tree, options: WalkOptions): AsyncGenerator<readonly Found[]> {
  const waiting: Directory[] = [{ path: tree.from, depth: 1, rules: rulesAbove(tree) }];
  const turns = new Turns();
  for (let next = waiting.pop(); next !== undefined && !options.signal.aborted; next = waiting.pop()) {
    const { path, depth, rules: above } = next;
    const entries = tree.entries(path) ?? [];
    const rules = rulesOf(tree, { path, entries }, above);
    const found: Found[] = [];
    for (const { name, kind } of entries.filter(({ name }) => name !== ".git").toSorted(byName)) {
      const place = below(path, name);
      const isDirectory = kind === "directory";
      const isIgnored = rules.ignores(place, { isDirectory });
      found.push({
        path: place,
        kind,
        isIgnored: options.leavesOut?.({ path: place, isDirectory, isIgnored }) ?? isIgnored,
      });
      if (turns.isOver) await turns.give();
    }
    yield found;
    const inside = found.filter(({ kind, isIgnored }) => kind === "directory" && !(options.respectIgnore && isIgnored));
    if (depth < (options.depth ?? Infinity)) {
      waiting.push(...inside.map(({ path }) => ({ path, depth: depth + 1, rules })).toReversed());
    }
    if (turns.isOver) await turns.give();
  }
}

/** The rules of the directories above the walked one. */
function rulesAbove(tree: Tree): IgnoreRules {
  const names = tree.from === "" ? [] : tree.from.split("/");
  return names.reduce((rules, _, index) => {
    const path = names.slice(0, index).join("/");
    return rulesOf(tree, { path, entries: tree.entries(path) ?? [] }, rules);
  }, IgnoreRules.NONE);
}

function rulesOf(
  tree: Tree,
  { path, entries }: { readonly path: string; readonly entries: readonly TreeEntry[] },
  above: IgnoreRules,
): IgnoreRules {
  const names = new Set(entries.map(({ name }) => name));
  const text = (name: string) => {
    if (!names.has(name.split("/")[0] ?? "")) return undefined;
    const bytes = tree.read(below(path, name), MOST_RULES_BYTES);
    return bytes && new TextDecoder().decode(bytes);
  };
  return above.within(path, {
    git: text(IGNORE_NAMES.git),
    plain: text(IGNORE_NAMES.plain),
    ripgrep: text(IGNORE_NAMES.ripgrep),
    exclude: text(".git/info/exclude"),
    isRepository: names.has(".git"),
  });
}

function below(path: string, name: string): string {
  return path === "" ? name : `${path}/${name}`;
}

function byName(one: TreeEntry, other: TreeEntry): number {
  return one.name < other.name ? -1 : 1;
}
