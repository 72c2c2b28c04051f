/** The part of a result about protected paths that changed while its command ran (S8). Pure. */
import type { ProtectedChange } from "../../base/command/protected_change.ts";
import type { Operation } from "../../operation/operation_record.ts";

/** Key of `_meta` for the changes. */
const PROTECTED_META_KEY = "ahma/protected_changed";

/** Changes that are named; further ones are counted. */
const MOST_NAMED = 10;

const WORDS: Readonly<Record<ProtectedChange["change"], string>> = {
  created: "created",
  changed: "changed",
  removed: "removed",
  obeyed: "is obeyed by git now",
  separated: "had a second name (hard link) and is a file of its own now",
  displaced: "had a second name (hard link) and is a file of its own now; what was saved meanwhile lies next to it",
  unwatched: "holds too much to be watched: changes of the rest go unnoticed",
  shared: "has a second name (hard link), by which commands can change it",
  not_kept: "was not changed",
  taken_out: "was made harmless",
};

/** Changes after which nothing obeys a command. */
const HARMLESS: Readonly<Partial<Record<ProtectedChange["change"], string>>> = {
  not_kept: "For this session only, not in",
  taken_out: "Taken out of",
};

/** Whether a program outside may obey a command after the change. */
export function isToBeFeared({ change }: ProtectedChange): boolean {
  return HARMLESS[change] === undefined;
}

/** A line of its own after the output, or empty when nothing changed. */
export function protectedNote({ protectedChanges: changes }: Pick<Operation, "protectedChanges">): string {
  return [changedNote(changes.filter(isToBeFeared)), notKeptNote(changes)]
    .filter((note) => note !== "").join("\n");
}

function changedNote(changes: readonly ProtectedChange[]): string {
  if (changes.length === 0) return "";
  const named = changes.slice(0, MOST_NAMED).map(({ path, change }) => `${JSON.stringify(path)} ${WORDS[change]}`);
  const more = changes.length > MOST_NAMED ? `, and ${changes.length - MOST_NAMED} more` : "";
  return `[Protected paths changed while this ran: ${named.join(", ")}${more}. Programs outside the sandbox (git, ` +
    "editors, agents) obey them with all rights of the user: look at them before anything else does.]";
}

/** What a command set in git's configuration, and git outside the sandbox does not see (S24). */
function notKeptNote(changes: readonly ProtectedChange[]): string {
  return changes.flatMap(({ path, change, keys = [] }) => {
    const lead = HARMLESS[change];
    if (lead === undefined) return [];
    const named = keys.slice(0, MOST_NAMED).map((key) => JSON.stringify(key).slice(1, -1)).join(", ");
    const more = keys.length > MOST_NAMED ? `, and ${keys.length - MOST_NAMED} more` : "";
    return [
      `[${lead} ${JSON.stringify(path)}: ${named}${more}. Git would obey it outside the sandbox; the user can set it ` +
      "there with git config.]",
    ];
  }).join("\n");
}

/** For `_meta`; empty when nothing changed. */
export function protectedMeta(operations: readonly Pick<Operation, "protectedChanges">[]): {
  readonly [PROTECTED_META_KEY]?: readonly ProtectedChange[];
} {
  const changes = operations.flatMap(({ protectedChanges }) => protectedChanges);
  return changes.length === 0 ? {} : { [PROTECTED_META_KEY]: changes };
}
