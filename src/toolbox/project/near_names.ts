/** Similar names for error messages about a missing path. */
import { visibleLine } from "../../base/visible_text.ts";
import { closest } from "../../base/suggest.ts";
import { parentOf } from "../../system/paths.ts";

/** At most this many are named. */
const MOST_NAMES = 3;

/** `; did you mean "a", "b"?`, with names of the directory of `path`; empty: no name is similar. */
export async function nearNames(path: string): Promise<string> {
  const parent = parentOf(path);
  const names = new Set<string>();
  try {
    for await (const { name } of Deno.readDir(parent)) names.add(name);
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound || thrown instanceof Deno.errors.NotADirectory) return "";
    throw thrown;
  }
  const asked = path.slice(parent.length + 1);
  // What is read here has replacement characters for bytes that are not UTF-8.
  if (asked.includes("\ufffd") && names.has(asked)) return "; a name like that is not UTF-8: only commands reach it";
  const near: string[] = [];
  while (near.length < MOST_NAMES) {
    const name = closest(asked, names);
    if (name === undefined) break;
    names.delete(name);
    near.push(`"${visibleLine(name)}"`);
  }
  return near.length === 0 ? "" : `; did you mean ${near.join(", ")}?`;
}
