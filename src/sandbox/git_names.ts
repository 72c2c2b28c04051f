/** Files that a repository's configuration makes git obey: directories of hooks elsewhere, and included configuration. */
import { readTextIfRegular } from "../base/regular_file.ts";
import { parentOf } from "./paths.ts";

/** A configuration that is larger is not one that a person or git wrote. */
const LARGEST_BYTES = 4 * 1024 * 1024;

/** Paths that the configuration of the repository in `tree` names, seen from the tree; absolute ones as they are. */
export function namedByGitConfiguration(tree: string): readonly string[] {
  const path = `${tree}/.git/config`;
  const text = readTextIfRegular(path, LARGEST_BYTES) ?? "";
  return [
    ...valuesOf(text, "hookspath").map((value) => value.startsWith("/") ? value : `${tree}/${value}`),
    // An include is seen from the file it stands in.
    ...valuesOf(text, "path").map((value) => value.startsWith("/") ? value : `${parentOf(path)}/${value}`),
  ].filter((value) => !value.includes("/~"));
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
