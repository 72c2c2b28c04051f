/** Names of prompts: the path of the file below its directory, without the extension (Q1, Q5). Pure. */
import { hiddenCharacter } from "../../base/visible_text.ts";

/** File extensions of templates, the longest first. */
const ENDINGS: readonly string[] = [".markdown.liquid", ".md.liquid", ".liquid.md", ".markdown", ".liquid", ".md"];
/** The longest name, characters: clients show it in menus. */
const LONGEST_NAME = 128;

/** The name for a path; undefined: it has no extension of a template, or only that. */
export function promptNameOf(path: string): string | undefined {
  const name = withoutEnding(path);
  return name === path || name === "" || name.endsWith("/") ? undefined : name;
}

/** The path without the extension of a template; the path itself if it has none. */
export function withoutEnding(path: string): string {
  const ending = ENDINGS.find((one) => path.endsWith(one));
  return ending === undefined ? path : path.slice(0, -ending.length);
}

/** Why a name is refused, as the end of a sentence; undefined: it is fine. */
export function nameProblem(name: string): string | undefined {
  if (name.length > LONGEST_NAME) return `has ${name.length} characters, at most ${LONGEST_NAME} are allowed`;
  const hidden = hiddenCharacter(name);
  if (hidden !== undefined || /[\t\n\r\\]/.test(name)) return `holds ${hidden ?? "a control character or a backslash"}`;
  return undefined;
}

/** Whether a name alone says that the file is a partial: a part of its path begins with `_` or `.`. */
export function isPartialName(name: string): boolean {
  return name.split("/").some((part) => part.startsWith("_") || part.startsWith("."));
}
