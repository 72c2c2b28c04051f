/** Files that a repository's configuration makes git obey: directories of hooks elsewhere, and included configuration. */
import { readTextIfRegular } from "../base/regular_file.ts";
import { isWithin, parentOf, realPath } from "./paths.ts";

/** A configuration that is larger is not one that a person or git wrote. */
const LARGEST_BYTES = 4 * 1024 * 1024;

/** As deep as git follows includes, and as many of them as are read. */
const DEEPEST_INCLUDE = 10;
const MOST_FILES = 32;

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
      const paths = valuesOf(text, "path").map((value) => value.startsWith("/") ? value : `${parentOf(file)}/${value}`);
      const hooks = valuesOf(text, "hookspath").map((value) => value.startsWith("/") ? value : `${tree}/${value}`);
      for (const path of [...hooks, ...paths]) if (!path.includes("/~")) named.add(path);
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

/** Values of a key, whatever section it stands in: one too many is protected rather than one too few. */
function valuesOf(text: string, key: string): readonly string[] {
  return text.split("\n").flatMap((line) => {
    const [, name = "", value = ""] = /^\s*(?:\[[^\]]*\]\s*)?(\w+)\s*=\s*(.+?)\s*$/.exec(line) ?? [];
    return name.toLowerCase() === key ? [unquoted(value)] : [];
  });
}

/** Without quotes, or without a comment behind it. */
function unquoted(value: string): string {
  return value.startsWith('"') ? value.slice(1).replace(/".*$/, "") : value.replace(/\s*[#;].*$/, "");
}
