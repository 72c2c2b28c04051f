/**
 * Whether a failed command was denied changing a protected path (S8, S15). Commands read them too, so a trace in any
 * language must show an attempt: command and output name it; the output names it next to a read-only mount's error; or
 * a protected file, whose directory changed meanwhile: programs create a file next to another, and only the exchange
 * fails (git, editors).
 */
import type { PathDenial } from "../../base/command/denial.ts";
import { isWithin, parentOf } from "../../system/paths.ts";
import { isOpenable } from "../protect/protected_paths.ts";
import { present } from "./inspect_path.ts";
import { hasError, type Mention, type Question } from "./question.ts";

/** The denial; undefined: the path is not protected, or nothing says that the command tried to change it. */
export async function protectedDenial(
  path: string,
  mention: Mention,
  question: Question,
): Promise<PathDenial | undefined> {
  const { context: { readOnly, scopes, policy }, command: { changed, began } } = question;
  const root = readOnly.find((one) => isWithin(path, one));
  // A path that changed while the command ran may not have been protected before.
  if (root === undefined || changed.some((one) => isWithin(one, root) || isWithin(root, one))) return undefined;
  const { printed, failed, evidence, belowCommand, named } = mention;
  const withError = hasError(mention, ["EROFS", "EBUSY"]);
  const spokenOf = evidence?.spokenOf === true;
  if (!printed || !(failed || spokenOf || withError)) return undefined;
  // A parent of the whole tree is named for other reasons.
  const inCommand = belowCommand && !policy.writable.some((tree) => tree.path === named) &&
    (failed || spokenOf && withError);
  if (!inCommand && !withError && !(path === root && await changedSince(parentOf(root), began))) return undefined;
  return { path, access: ["write"], protected: true, scope: scopes, flags: openingFlags(root, scopes) };
}

/** The flags that allow changes of a protected path; empty: none does. */
export function openingFlags(protectedPath: string, scopes: readonly string[]): readonly string[] {
  return isOpenable(protectedPath) ? [`--allow-protected ${shortest(protectedPath, scopes)}`] : [];
}

/** The kernel's stamps lag behind its clock by as much as a tick. */
const LONGEST_TICK_MS = 10;

async function changedSince(directory: string, began: number): Promise<boolean> {
  const changed = (await present(() => Deno.lstat(directory)))?.mtime?.getTime();
  return changed !== undefined && changed >= began - LONGEST_TICK_MS;
}

/** Relative paths are resolved in every tree; in a scope people write them so. */
function shortest(path: string, scopes: readonly string[]): string {
  const tree = scopes.find((one) => one !== "/" && isWithin(path, one));
  return tree === undefined ? path : path.slice(tree.length + 1);
}
