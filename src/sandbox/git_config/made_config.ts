/**
 * The configuration of a repository that a command has made (S24): what git writes into it by `git init`, `git clone` and
 * the like may stay, all else would be the command's own. Pure.
 */
import { absolutePath } from "../../system/paths.ts";
import { judgeChanges } from "./config_changes.ts";
import { type ConfigEntries, keyParts, sameValues } from "./config_entries.ts";
import { isBoolean, isPlainName } from "./harmless_values.ts";

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
  /** The top of the work tree that git found the repository from. */
  readonly workTree: string;
  /** The directory of the configuration file. */
  readonly directory: string;
  /** What stood in the file when commands had no part in it. */
  readonly accepted: ConfigEntries;
}

/** Keys whose values are neither accepted nor harmless. */
export function unwantedKeys(entries: ConfigEntries, place: MadePlace): readonly string[] {
  const nothing: ConfigEntries = new Map();
  const states = { before: place.accepted, after: entries, real: place.accepted, first: nothing };
  return judgeChanges(states).dropped.filter((key) =>
    entries.has(key) && !sameValues(entries, place.accepted, key) &&
    !(entries.get(key) ?? []).every((value) => value !== undefined && isOfForm(key, value, place))
  );
}

function isOfForm(key: string, value: string, { workTree, directory }: MadePlace): boolean {
  if (key === "core.worktree") return absolutePath(value, directory) === workTree;
  const { section, name, variable } = keyParts(key);
  if (key === "extensions.partialclone") return isPlainName(value);
  if (section === "remote" && name !== undefined && variable === "promisor") return isBoolean(value);
  if (section === "remote" && name !== undefined && variable === "partialclonefilter") return /^[\w:+=%]+$/.test(value);
  return FORMS.get(key)?.test(value) === true;
}
