/** Files that a repository's configuration makes git obey: hooks elsewhere, and included configuration. */
import { readTextIfRegular } from "../../system/reading/regular_file.ts";
import { placeOfValue } from "./git_config_output.ts";
import { parentOf } from "../../system/paths.ts";

/** People and git do not write larger configurations. */
const LARGEST_BYTES = 4 * 1024 * 1024;

/** As deep as git follows includes, and as many of them as are read. */
const DEEPEST_INCLUDE = 10;
const MOST_FILES = 32;
/** Each is checked around every command. */
const MOST_NAMED = 64;

/**
 * Absolute paths that the configuration in `tree` and `home` (undefined: unknown) names for hooks and includes: for the
 * start, which waits for no program, and without git.
 */
export function namedByGitConfiguration(tree: string, home: string | undefined): readonly string[] {
  const named = new Set<string>();
  const read = new Set<string>();
  const ofUser = home === undefined ? [] : [`${home}/.gitconfig`, `${home}/.config/git/config`];
  let files = [`${tree}/.git/config`, `${tree}/.git/config.worktree`, ...ofUser, "/etc/gitconfig"];
  for (let depth = 0; depth <= DEEPEST_INCLUDE && files.length > 0; depth++) {
    const included: string[] = [];
    for (const file of files) {
      if (read.size >= MOST_FILES || read.has(file)) continue;
      read.add(file);
      const text = readTextIfRegular(file, LARGEST_BYTES) ?? "";
      // An include is seen from the file it stands in, hooks from the top of the work tree.
      const from = (base: string) => (value: string) => placeOfValue(value, { base, home }) ?? [];
      const paths = gitValues(text, "path").slice(0, MOST_NAMED).flatMap(from(parentOf(file)));
      const hooks = gitValues(text, "hookspath").slice(0, MOST_NAMED).flatMap(from(tree));
      for (const path of [...hooks, ...paths]) if (named.size < MOST_NAMED) named.add(path);
      included.push(...paths);
    }
    files = included;
  }
  return [...named];
}

/**
 * Values of a key (lower case), in any section: protecting one too many is better than one too few. Read word by word,
 * because commands can write such files, and could make a backtracking parser take forever.
 */
export function gitValues(text: string, key: string): readonly string[] {
  return text.replaceAll("\\\n", "").split("\n").flatMap((line) => {
    const plain = line.trimStart();
    const rest = plain.startsWith("[") ? plain.slice(plain.indexOf("]") + 1) : plain;
    const at = rest.indexOf("=");
    if (at < 0 || rest.slice(0, at).trim().toLowerCase() !== key) return [];
    const value = unquoted(rest.slice(at + 1).trim());
    return value === "" || value.length > LONGEST_PATH || value.includes("\0") ? [] : [value];
  });
}

/** The longest path that Linux accepts. */
const LONGEST_PATH = 4096;

/** Without quotes, or without a trailing comment. */
function unquoted(value: string): string {
  if (value.startsWith('"')) return value.slice(1).split('"')[0] ?? "";
  return value.split(/[#;]/)[0]?.trimEnd() ?? "";
}
