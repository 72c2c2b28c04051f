/** Denials of a server's sandbox, with the line that a person adds to its entry to allow them (S15, O6). Pure. */
import type { Denial, PathDenial } from "../../base/command/denial.ts";
import { isWithin } from "../../system/paths.ts";

/** What the advice depends on. */
export interface EntryFacts {
  /** Its name. */
  readonly server: string;
  /** The scopes of this program, which the word `scope` in an entry means. */
  readonly scopes: readonly string[];
  /** Directories that its entry names. */
  readonly named: readonly string[];
  /** Whether its entry lets it read the scopes. */
  readonly readsScope: boolean;
}

/** One sentence, and a second one if a person can allow it. */
export function entrySentence(denial: Denial, facts: EntryFacts): string {
  const { server } = facts;
  const field = fieldFor(denial, facts);
  const advice = field === undefined ? "" : ` A person can allow it: ${field} in the entry of "${server}".`;
  return `${reasonOf(denial, facts)}.${advice}`;
}

function reasonOf(denial: Denial, facts: EntryFacts): string {
  const { server } = facts;
  const who = `Server "${server}"`;
  if ("path" in denial) {
    const { path, hidden, protected: isProtected } = denial;
    if (hidden === true) return `"${path}" is hidden from server "${server}", whether it exists or not`;
    const what = isUnreadable(denial, facts) ? "neither read nor change" : "read but not change";
    const why = isProtected === true ? ", because programs outside the sandbox obey it" : "";
    return `${who} can ${what} "${path}"${why}`;
  }
  const { operation, subject, reason } = denial;
  switch (operation) {
    case "network":
      return `${who} cannot reach "${subject}"`;
    case "unix_socket":
      return `${who} may not use such a Unix socket`;
    case "pseudo_terminal":
      return `${who} has no pseudo-terminals`;
    case "write":
      return `${who} changes nothing but its own home, $TMPDIR and what its entry opens`;
    default:
      return reason;
  }
}

/** The field of the entry that allows it; undefined: no field does or should. */
function fieldFor(denial: Denial, facts: EntryFacts): string | undefined {
  if ("path" in denial) return denial.protected === true ? undefined : fieldForPath(denial, facts);
  if (denial.operation === "network") return networkField(denial.flags);
  if (denial.operation === "unix_socket") return '"unixSockets": "allow"';
  return denial.operation === "write" ? '"write": ["DIR"]' : undefined;
}

/** The whole network, or one host more for a list; undefined: no field allows it. */
function networkField(flags: readonly string[]): string | undefined {
  const wanted = flags.find((flag) => flag.startsWith("--network "))?.replace(/^--network (?:\.\.\.,)?/, "");
  if (wanted === undefined) return undefined;
  return wanted === "full" ? '"network": "full"' : `${JSON.stringify(wanted)} in the list "network"`;
}

function fieldForPath(denial: PathDenial, facts: EntryFacts): string | undefined {
  if (denial.hidden === true) return undefined;
  if (isInScope(denial, facts)) return facts.readsScope ? '"write": ["scope"]' : '"readScope": true';
  const fields = denial.flags.flatMap((flag) => {
    const [, name, value] = /^--(read|write) (.+)$/s.exec(flag) ?? [];
    if (value === undefined) return [];
    const place = facts.named.find((directory) => isWithin(value, directory)) ?? value;
    return [`"${name}": [${JSON.stringify(place)}]`];
  });
  return fields.length === 0 ? undefined : fields.join(" or ");
}

/** A missing file cannot be read anyway; what matters is that commands cannot create it. */
function isUnreadable(denial: PathDenial, facts: EntryFacts): boolean {
  if (isInScope(denial, facts)) return !facts.readsScope;
  const { access, flags } = denial;
  return access.includes("read") && (flags.length === 0 || flags.some((flag) => flag.startsWith("--read ")));
}

function isInScope({ path }: PathDenial, { scopes }: EntryFacts): boolean {
  return scopes.some((scope) => isWithin(path, scope));
}
