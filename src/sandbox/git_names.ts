/** Files that a repository's configuration makes git obey: directories of hooks elsewhere, and included configuration. */
import { readTextIfRegular } from "../base/regular_file.ts";
import { isWithin, parentOf, realPath } from "./paths.ts";

/** A configuration that is larger is not one that a person or git wrote. */
const LARGEST_BYTES = 4 * 1024 * 1024;

/** As deep as git follows includes, and as many of them as are read. */
const DEEPEST_INCLUDE = 10;
const MOST_FILES = 32;
/** Each is looked at around every command. */
const MOST_NAMED = 64;

/**
 * Paths that the configuration of the repository in `tree` names, seen from the tree; absolute ones as they are. What it
 * includes is read too, as far as it lies in the tree: what is outside no command can change.
 */
export function namedByGitConfiguration(tree: string): readonly string[] {
  const named = new Set<string>();
  const read = new Set<string>();
  let files = [`${tree}/.git/config`];
  for (let depth = 0; depth <= DEEPEST_INCLUDE && files.length > 0; depth++) {
    const included: string[] = [];
    for (const file of files) {
      if (read.size >= MOST_FILES || read.has(file)) continue;
      read.add(file);
      const text = readTextIfRegular(file, LARGEST_BYTES) ?? "";
      // An include is seen from the file it stands in, hooks from the top of the work tree.
      const paths = gitValues(text, "path").slice(0, MOST_NAMED).map((value) =>
        value.startsWith("/") ? value : `${parentOf(file)}/${value}`
      );
      const hooks = gitValues(text, "hookspath").slice(0, MOST_NAMED).map((value) =>
        value.startsWith("/") ? value : `${tree}/${value}`
      );
      for (const path of [...hooks, ...paths]) if (!path.includes("/~") && named.size < MOST_NAMED) named.add(path);
      included.push(...paths.filter((path) => !path.includes("/~") && isInside(path, tree)));
    }
    files = included;
  }
  return [...named];
}

function isInside(path: string, tree: string): boolean {
  const real = realPath(path);
  return real !== undefined && isWithin(real, tree);
}

/**
 * Values of a key (lower case), whatever section it stands in: one too many is protected rather than one too few. Read word by word,
 * because commands can write such files: what goes back and tries again could be made to take for ever.
 */
export function gitValues(text: string, key: string): readonly string[] {
  return text.split("\n").flatMap((line) => {
    const plain = line.trimStart();
    const rest = plain.startsWith("[") ? plain.slice(plain.indexOf("]") + 1) : plain;
    const at = rest.indexOf("=");
    if (at < 0 || rest.slice(0, at).trim().toLowerCase() !== key) return [];
    const value = unquoted(rest.slice(at + 1).trim());
    return value === "" || value.length > LONGEST_PATH || value.includes("\0") ? [] : [value];
  });
}

/** Linux takes no longer one. */
const LONGEST_PATH = 4096;

/** Without quotes, or without a comment behind it. */
function unquoted(value: string): string {
  if (value.startsWith('"')) return value.slice(1).split('"')[0] ?? "";
  return value.split(/[#;]/)[0]?.trimEnd() ?? "";
}
