/** What git acts on by its own answer: configuration files, hooks, files that values name as programs (S21). Pure. */
import { withoutTrailing, words } from "../../base/text.ts";
import { normalPath, parentOf } from "../../system/paths.ts";

/** One value of git's configuration. */
export interface GitValue {
  /** The absolute path of its file. */
  readonly origin: string;
  /** As git lists it: section and variable in lower case. */
  readonly key: string;
  readonly value: string;
}

export interface ObeyedByGit {
  /** Files and directories, absolute; they need not exist. */
  readonly paths: readonly string[];
  /** Words of commands that may be files, absolute. */
  readonly programs: readonly string[];
  /** Files that decide the answer, those that do not exist yet among them. */
  readonly sources: readonly string[];
  /** False: there are more of a kind than can be checked. */
  readonly complete: boolean;
}

/** Of each kind; each is checked around every command. With more, no command runs: the rest could be changed. */
const MOST_NAMED = 512;
const LONGEST_PATH = 4096;

/** Values that are a path. */
const PATHS = /^(?:core\.(?:hookspath|attributesfile)|init\.templatedir|include\.path|includeif\..*\.path)$/s;
const INCLUDES = /^include(?:if\..*)?\.path$/s;
const DEPENDS_ON_BRANCH = /^includeif\.onbranch:/;
/** Variables whose values are command lines, in any section: protecting one too many is better than one too few. */
const COMMANDS: readonly string[] = words(
  "alternaterefscommand askpass cccmd clean cmd command defaultkeycommand difffilter driver editor external fsmonitor",
  "gitproxy headercmd helper httpd packobjectshook pager process program receivepack recentobjectshook sendmailcmd",
  "smtpserver smudge sshcommand textconv tocmd tunnel update uploadpack vcs",
);
/** Sections of which every value is a command line, or the path of a program. */
const COMMAND_SECTIONS: readonly string[] = ["alias", "browser", "difftool", "lfs", "man", "mergetool", "pager"];

/** The values of an answer. `top`: the directory that git ran in, from which relative paths start. */
export function parseGitAnswer(answer: string, top: string): readonly GitValue[] {
  const parts = answer.split("\0");
  const values: GitValue[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [origin = "", entry = ""] = [parts[at], parts[at + 1]];
    if (!origin.startsWith("file:")) continue;
    const end = entry.indexOf("\n");
    const file = normalPath(seenFrom(top, origin.slice("file:".length)));
    values.push({
      origin: file,
      key: end < 0 ? entry : entry.slice(0, end),
      value: end < 0 ? "" : entry.slice(end + 1),
    });
  }
  return values;
}

/** What the values make git act on. `top`: the work tree's, or a bare repository; `home`: undefined where unknown. */
export function obeyedByGit(
  values: readonly GitValue[],
  { top, home }: { readonly top: string; readonly home: string | undefined },
): ObeyedByGit {
  const paths = new Set<string>();
  const programs = new Set<string>();
  const sources = new Set<string>();
  const add = (to: Set<string>, base: string, value: string) => {
    const path = placeOfValue(value, { base, home });
    if (path !== undefined && to.size <= MOST_NAMED) to.add(path);
  };
  for (const { origin, key, value } of values) {
    add(sources, top, origin);
    if (key === "extensions.worktreeconfig") add(sources, parentOf(origin), "config.worktree");
    if (DEPENDS_ON_BRANCH.test(key)) add(sources, parentOf(origin), "HEAD");
    add(paths, top, origin);
    // The hooks of a repository lie where its configuration does, wherever that is.
    if (origin.endsWith("/config")) add(paths, parentOf(origin), "hooks");
    if (INCLUDES.test(key)) {
      add(paths, parentOf(origin), value);
      add(sources, parentOf(origin), value);
    } else if (PATHS.test(key)) add(paths, top, value);
    else if (isCommand(key)) { for (const word of wordsOf(value)) add(programs, top, word); }
  }
  const complete = [paths, programs, sources].every(({ size }) => size <= MOST_NAMED);
  return { paths: [...paths], programs: [...programs], sources: [...sources], complete };
}

function isCommand(key: string): boolean {
  const section = key.slice(0, key.indexOf("."));
  return COMMAND_SECTIONS.includes(section) || COMMANDS.includes(key.slice(key.lastIndexOf(".") + 1));
}

/** Words of a command line that could be files; those without a slash are looked for on the PATH. */
function wordsOf(value: string): readonly string[] {
  return value.slice(0, LONGEST_PATH).split(/[\s'"`;|&()<>!=]+/)
    .filter((word) => word.includes("/") && !word.includes("://") && !/[$*?]/.test(word));
}

/** The path that a value is, seen from `base`; undefined: none, or one of another user's home. */
export function placeOfValue(
  value: string,
  { base, home }: { readonly base: string; readonly home: string | undefined },
): string | undefined {
  if (value === "" || value.length > LONGEST_PATH || value.startsWith("%(")) return undefined;
  if (!value.startsWith("~")) return normalPath(seenFrom(base, value));
  return value.startsWith("~/") && home !== undefined ? normalPath(`${home}/${value.slice(2)}`) : undefined;
}

function seenFrom(base: string, path: string): string {
  return path.startsWith("/") ? path : `${withoutTrailing(base, "/")}/${path}`;
}
