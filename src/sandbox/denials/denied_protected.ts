/**
 * Whether a failed command was kept from changing a protected path (S8, S15). Most commands only read them, so that one
 * is named says nothing; it takes a trace of an attempt, in any language:
 *
 * - command and output both name it;
 * - the output names it next to the error that a read-only mount gives;
 * - the output names a protected file, and the directory that holds it changed while the command ran: programs replace
 *   a file by making another one next to it, and it is the exchange that fails (git, editors).
 */
import type { PathDenial } from "../../base/command/denial.ts";
import { isWithin, parentOf } from "../../system/paths.ts";
import { isOpenable } from "../protect/protected_paths.ts";

/** What is known of one path. */
export interface MentionedPath {
  /** Canonical; the last name as mentioned where nothing is there. */
  readonly path: string;
  /** The command names it, or a directory above it. */
  readonly inCommand: boolean;
  readonly inOutput: boolean;
  /** A line of the output names it and says EROFS or EBUSY. */
  readonly withError: boolean;
}

export interface ProtectionContext {
  /** What commands saw read-only, canonical; without namespaces nothing is. */
  readonly readOnly: readonly string[];
  /** What changed while the command ran, so that it may not have been protected before. */
  readonly changed: readonly string[];
  readonly scopes: readonly string[];
  /** Whether the directory changed while the command ran. */
  readonly hasChanged: (directory: string) => Promise<boolean>;
}

/** The denial; undefined: the path is not protected, or nothing says that the command tried to change it. */
export async function protectedDenial(
  { path, inCommand, inOutput, withError }: MentionedPath,
  { readOnly, changed, scopes, hasChanged }: ProtectionContext,
): Promise<PathDenial | undefined> {
  const root = readOnly.find((one) => isWithin(path, one));
  if (root === undefined || !inOutput || changed.some((one) => isWithin(one, root) || isWithin(root, one))) {
    return undefined;
  }
  if (!inCommand && !withError && !(path === root && await hasChanged(parentOf(root)))) return undefined;
  const flags = isOpenable(root) ? [`--allow-protected ${shortest(root, scopes)}`] : [];
  return { path, access: ["write"], protected: true, scope: scopes, flags };
}

/** Relative paths are seen from every tree: in a scope that is what people write. */
function shortest(path: string, scopes: readonly string[]): string {
  const tree = scopes.find((one) => one !== "/" && isWithin(path, one));
  return tree === undefined ? path : path.slice(tree.length + 1);
}
