/** Paths in a command and its output, in any language: names are found, no message is understood (S15). Pure. */
import { withoutTrailing } from "../../base/text.ts";
import { absolutePath } from "../../system/paths.ts";

/** Where relative names start. */
export interface Places {
  readonly directory: string;
  /** Undefined: `~` is not followed. */
  readonly home: string | undefined;
}

/** How many different names are examined, and how long each may be. */
const MOST_NAMES = 64;
const LONGEST_NAME = 1024;
/** How much of a text is read. */
export const LONGEST_TEXT = 16_384;

/** Between two names. Colons too: messages put one behind a name, and lists of paths one between. */
const SEPARATORS = /[\s"'`‘’‚‛“”„«»<>|;&(){}[\],=:]+/u;
/** An address with a host in it; `file:///a` and `unix:///a` are paths. */
const ADDRESS = /\b[a-z][a-z\d+.-]{0,20}:\/\/[^\s/'"`<>()[\]{},;][^\s'"`<>()[\]{},;]*/giu;
/** A path on another machine, as for git, scp and rsync; without a user it may be a message about a file. */
const REMOTE = /\b[\w.-]{1,64}@[\w.-]{1,253}:[^\s'"`<>()[\]{},;]*/gu;
const TARGET = />[>|]?[ \t]{0,9}["']?([^\s"'<>|;&()]+)/g;
const QUOTED = /["'`‘‚“„«]([^"'`‘’‚“”„«»\n]{1,1024})["'`’‘”“»]/gu;

/** Names in a command's output: only those with a directory. */
export function pathsInOutput(text: string, places: Places): ReadonlySet<string> {
  return collected(namesIn(text.slice(-LONGEST_TEXT)).filter((name) => /^~|\/|^\.\.$/.test(name)), places);
}

/** Where a command line writes to: `> PATH`, `2>>PATH`, and the last word of `cp`, `install`, `ln` and `mv`. */
export function targetsInCommand(words: readonly string[], places: Places): ReadonlySet<string> {
  const names = words.flatMap((word) => [...word.slice(0, LONGEST_TEXT).matchAll(TARGET)].map(([, name = ""]) => name));
  const lines = words.length === 1 ? (words[0] ?? "").slice(0, LONGEST_TEXT).split(/[\n;&|]+/) : [words.join(" ")];
  return collected([...names, ...lines.flatMap(copiedTo)], places);
}

/** Of one command without redirections. */
function copiedTo(line: string): readonly string[] {
  const [program = "", ...operands] = line.split(/[\s"']+/).filter((word) => word !== "" && !word.startsWith("-"));
  return COPIES.test(program) ? operands.slice(1).slice(-1) : [];
}

const COPIES = /^(?:\/(?:usr\/)?bin\/)?(?:cp|install|ln|mv)$/;

/** Names in a command's words: also plain ones, which may be links. */
export function pathsInCommand(words: readonly string[], places: Places): ReadonlySet<string> {
  const names = words.flatMap((word) => [word, ...namesIn(word.slice(0, LONGEST_TEXT))]);
  return collected(
    names.map((name) => ATTACHED.exec(name)?.[1] ?? name).filter((name) => !name.startsWith("-")),
    places,
  );
}

/** A path behind the letter of an option: `-I../include`. */
const ATTACHED = /^-[A-Za-z]((?:~|\.{1,2})?\/.+|\.\.)$/;

function namesIn(raw: string): readonly string[] {
  const named = raw.replaceAll("${HOME}", "$HOME");
  const local = named.includes("://") ? named.replaceAll(ADDRESS, " ") : named;
  const text = local.includes("@") ? local.replaceAll(REMOTE, " ") : local;
  const quoted = [...text.matchAll(QUOTED)].map(([, inner = ""]) => inner.trim()).filter((inner) =>
    inner.includes(" ")
  );
  return [...quoted, ...text.split(SEPARATORS)].map((name) => isSteps(name) ? name : withoutTrailing(name, ".!?"));
}

/** `..` and `a/..` end in dots that belong to them. */
function isSteps(name: string): boolean {
  return /(?:^|\/)\.{1,2}$/.test(name);
}

function collected(names: readonly string[], { directory, home }: Places): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const name of names) {
    if (paths.size >= MOST_NAMES) break;
    if (name === "" || name.length > LONGEST_NAME || name.includes("\0")) continue;
    const expanded = expandHome(name, home);
    if (expanded === undefined) continue;
    paths.add(withoutSteps(absolutePath(expanded, directory)));
  }
  return paths;
}

function expandHome(name: string, home: string | undefined): string | undefined {
  const rest = /^(?:~|\$HOME)(\/.*)?$/s.exec(name);
  if (rest === null) return name.startsWith("~") || name.includes("$") ? undefined : name;
  return home === undefined ? undefined : `${home}${rest[1] ?? ""}`;
}

/** Without empty names and `.` steps; `..` is left to the code that follows links. */
function withoutSteps(path: string): string {
  return `/${path.split("/").filter((name) => name !== "" && name !== ".").join("/")}`;
}
