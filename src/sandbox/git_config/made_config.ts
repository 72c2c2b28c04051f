/** What `git init`, `git clone` and the like write into a configuration; all else is a command's own (S24). Pure. */
import { absolutePath } from "../../system/paths.ts";
import { judgeChanges } from "./config_changes.ts";
import type { ConfigEntries } from "./config_entries.ts";

/** What git needs to know about the form of a repository. */
const FORMS: ReadonlyMap<string, RegExp> = new Map([
  ["core.repositoryformatversion", /^[01]$/],
  ["core.bare", /^(?:true|false)$/],
  ["core.logallrefupdates", /^(?:true|false|always)$/],
  ["core.sharedrepository", /^(?:group|all|umask|true|false|0?\d{1,4})$/],
  ["extensions.objectformat", /^(?:sha1|sha256)$/],
  ["extensions.refstorage", /^(?:files|reftable)$/],
  ["extensions.relativeworktrees", /^(?:true|false)$/],
  ["extensions.worktreeconfig", /^(?:true|false)$/],
  ["lfs.repositoryformatversion", /^0$/],
  ["submodule.active", /^[\w./*-]+$/],
]);

/** Where the file is that was read. */
export interface MadePlace {
  /** The directory of the configuration file. */
  readonly directory: string;
  /** Whether the repository may be that of a work tree at the path. */
  readonly isWorkTree: (path: string) => boolean;
}

/** Keys whose values are not harmless. */
export function unwantedKeys(entries: ConfigEntries, place: MadePlace): readonly string[] {
  const nothing: ConfigEntries = new Map();
  return judgeChanges({ before: nothing, after: entries, real: nothing, first: nothing }).dropped.filter((key) =>
    !(entries.get(key) ?? []).every((value) => value !== undefined && isOfForm(key, value, place))
  );
}

function isOfForm(key: string, value: string, { directory, isWorkTree }: MadePlace): boolean {
  if (key === "core.worktree") return isWorkTree(absolutePath(value, directory));
  return FORMS.get(key)?.test(value) === true;
}
