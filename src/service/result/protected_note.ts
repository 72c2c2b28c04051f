/** The part of a result about protected paths that changed while its command ran (S8). Pure. */
import type { ProtectedChange } from "../../base/command/protected_change.ts";
import { shellWord } from "../../base/text.ts";
import type { Operation } from "../../operation/operation_record.ts";

/** Key of `_meta` for the changes. */
const PROTECTED_META_KEY = "ahma/protected_changed";

/** At most this many changes are named; the others are counted. */
const MOST_NAMED = 10;
/** At most this many repositories are named; the others are counted. */
const MOST_ASIDE = 3;

const WORDS: Readonly<Record<ProtectedChange["change"], string>> = {
  created: "created",
  changed: "changed",
  removed: "removed",
  obeyed: "is obeyed by git now",
  separated: "had a second name (hard link) and is a separate file now",
  displaced:
    "had a second name (hard link) and is a separate file now; what another program saved at that time lies next to it",
  unwatched: "holds what cannot be watched: changes of it go unnoticed",
  shared: "has a second name (hard link), by which commands can change it",
  unlinked: "was a link by which git outside would write elsewhere, and was removed",
  not_kept: "was not changed",
  set_aside: "was set aside",
};

/** Changes after which nothing outside obeys a command. */
const HARMLESS: readonly ProtectedChange["change"][] = ["not_kept", "set_aside"];

/** Whether a program outside may obey a command after the change. */
export function isToBeFeared({ change }: ProtectedChange): boolean {
  return !HARMLESS.includes(change);
}

/** A separate line after the output, or empty if nothing changed. */
export function protectedNote({ protectedChanges: changes }: Pick<Operation, "protectedChanges">): string {
  return [changedNote(changes.filter(isToBeFeared)), notKeptNote(changes), setAsideNote(changes)]
    .filter((note) => note !== "").join("\n");
}

function changedNote(changes: readonly ProtectedChange[]): string {
  if (changes.length === 0) return "";
  const named = changes.slice(0, MOST_NAMED).map(({ path, change }) => `${JSON.stringify(path)} ${WORDS[change]}`);
  const more = changes.length > MOST_NAMED ? `, and ${changes.length - MOST_NAMED} more` : "";
  return `[Protected paths changed while this ran: ${named.join(", ")}${more}. Programs outside the sandbox (git, ` +
    "editors, agents) obey them with all rights of the user: look at them before anything else does.]";
}

/** Settings that a command made in git's configuration, and that git outside the sandbox does not see (S24). */
function notKeptNote(changes: readonly ProtectedChange[]): string {
  return changes.flatMap(({ path, change, keys = [] }) =>
    change !== "not_kept" ? [] : [
      `[For this session only, not in ${JSON.stringify(path)}: ${
        keyList(keys)
      }. Git would obey it outside the sandbox; ` +
      "the user can set it there with git config.]",
    ]
  ).join("\n");
}

/** Repositories that git outside does not see (S24): all in one line, because test suites make many. */
function setAsideNote(changes: readonly ProtectedChange[]): string {
  const aside = changes.filter(({ change }) => change === "set_aside");
  const [first] = aside;
  if (first === undefined) return "";
  const named = aside.slice(0, MOST_ASIDE).map(({ path, keys = [] }) => `${JSON.stringify(path)} (${keyList(keys)})`);
  const more = aside.length > MOST_ASIDE ? `, and ${aside.length - MOST_ASIDE} more` : "";
  return `[Set aside: ${named.join(", ")}${more}. Commands use it as before. Git outside the sandbox does not see it ` +
    `until the user runs: ahma_mcp accept ${shellWord(first.path)}]`;
}

function keyList(keys: readonly string[]): string {
  const named = keys.slice(0, MOST_NAMED).map((key) => JSON.stringify(key).slice(1, -1)).join(", ");
  return keys.length > MOST_NAMED ? `${named}, and ${keys.length - MOST_NAMED} more` : named;
}

/** For `_meta`; empty when nothing changed. */
export function protectedMeta(operations: readonly Pick<Operation, "protectedChanges">[]): {
  readonly [PROTECTED_META_KEY]?: readonly ProtectedChange[];
} {
  const changes = operations.flatMap(({ protectedChanges }) => protectedChanges);
  return changes.length === 0 ? {} : { [PROTECTED_META_KEY]: changes };
}
