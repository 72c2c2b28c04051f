/** What git would obey in a repository beyond what `git init` and `git clone` write (S24). Pure. */
import type { EntryKind } from "../../system/c_library.ts";
import type { ConfigEntries } from "./config_entries.ts";
import { type MadePlace, unwantedKeys } from "./made_config.ts";

/** Names in a repository's own directory (gitrepository-layout(5)) that hold history, and nothing that git runs. */
const PLAIN_NAMES: ReadonlySet<string> = new Set([
  "HEAD",
  "description",
  "index",
  "info",
  "objects",
  "refs",
  "logs",
  "packed-refs",
  "shallow",
  "rr-cache",
  "reftable",
  "gc.log",
  "gc.pid",
  "COMMIT_EDITMSG",
  "TAG_EDITMSG",
  "MERGE_MSG",
  "MERGE_MODE",
  "MERGE_RR",
  "SQUASH_MSG",
  "AUTO_MERGE",
]);
const PLAIN_FORMS: readonly RegExp[] = [/^[A-Z_]+_HEAD$/, /^BISECT_[A-Z]+$/, /^sharedindex\.[0-9a-f]+$/, /\.lock$/];
/** Names that mean something to git, in a directory that may hold anything else too (a bare repository). */
const MEANT_NAMES: ReadonlySet<string> = new Set(["config.worktree", "commondir", "remotes", "modules", "worktrees"]);
/** Directories into which git writes while it works. */
const DIRECTORIES: ReadonlySet<string> = new Set(["hooks", "rebase-apply", "rebase-merge", "sequencer"]);
/** Git runs no hook of such a name. */
const SAMPLE = /\.sample$/;

/** Something in a directory. */
export interface FormEntry {
  readonly name: string;
  readonly kind: EntryKind;
  /** Differs when it was written or exchanged. */
  readonly state: string;
}

/** What was found in a repository's own directory. */
export interface RepositoryFacts {
  readonly entries: readonly FormEntry[];
  /** What its directories of these names hold; undefined: there is no such directory. */
  readonly hooks: readonly FormEntry[] | undefined;
  readonly branches: readonly FormEntry[] | undefined;
  /** Undefined: git cannot read it, or it is not a separate file. */
  readonly config: ConfigEntries | undefined;
  readonly place: MadePlace;
  /** Whether the directory is one that git finds by its names alone, and not a `.git`. */
  readonly isOwn: boolean;
}

/** Something that git would obey: a key of the configuration, or a name in the repository. */
export interface Obeyed {
  readonly name: string;
  /** Of an entry, or the values of a key. */
  readonly state: string;
}

/** Whether the name means something to git in a repository's own directory, which may hold other things too. */
export function isOfGit(name: string): boolean {
  return PLAIN_NAMES.has(name) || MEANT_NAMES.has(name) || DIRECTORIES.has(name) ||
    PLAIN_FORMS.some((form) => form.test(name));
}

/** What git outside would obey; empty: the repository is plain. */
export function obeyedIn({ entries, hooks, branches, config, place, isOwn }: RepositoryFacts): readonly Obeyed[] {
  return entries.flatMap((entry): readonly Obeyed[] => {
    const { name, kind } = entry;
    // Git would write to where a link leads.
    if (kind === "link" && (!isOwn || isOfGit(name))) return [{ name, state: entry.state }];
    if (name === "config" && config !== undefined && entry.kind === "file") {
      return unwantedKeys(config, place).map((key) => ({ name: key, state: JSON.stringify(config.get(key) ?? []) }));
    }
    if (name === "hooks" && hooks !== undefined) {
      return obeyedBelow(
        entry,
        hooks.filter((one) => !SAMPLE.test(one.name)),
      );
    }
    if (name === "branches" && branches !== undefined) return obeyedBelow(entry, branches);
    const isPlain = isOwn && name !== "config" && name !== "hooks"
      ? !MEANT_NAMES.has(name) && (name !== "branches" || entry.kind !== "link")
      : PLAIN_NAMES.has(name) || PLAIN_FORMS.some((form) => form.test(name));
    return isPlain ? [] : [{ name, state: entry.state }];
  });
}

function obeyedBelow({ name: directory }: FormEntry, entries: readonly FormEntry[]): readonly Obeyed[] {
  return entries.map(({ name, state }) => ({ name: `${directory}/${name}`, state }));
}
