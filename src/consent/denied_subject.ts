/** Which path a person can be asked about when a command is denied one (S35). Pure. */
import type { Denial } from "../base/command/denial.ts";
import type { AskKind, PathSubject } from "../base/command/grant_subject.ts";
import { writtenOut } from "../base/visible_text.ts";
import { isWithin } from "../system/paths.ts";

export interface AskablePaths {
  /** The kinds that a person can be asked about. */
  readonly kinds: ReadonlySet<AskKind>;
  /** Canonical; undefined: unknown. */
  readonly home: string | undefined;
}

/** What each flag would open, in the order of questions. */
const FLAGS = [["read", "--read "], ["write", "--write "], ["protected", "--allow-protected "]] as const;

/** What the flags of a denial would open, the smallest grant first; empty: a person cannot be asked about it. */
export function deniedSubjects(denial: Denial, { kinds, home }: AskablePaths): readonly PathSubject[] {
  if (!("path" in denial) || denial.hidden === true || denial.copied === true) return [];
  const { scope } = denial;
  return FLAGS.filter(([kind]) => kinds.has(kind)).flatMap(([kind, flag]) =>
    denial.flags.filter((one) => one.startsWith(flag)).map((one) => ({
      kind,
      path: absolute(one.slice(flag.length), denial.path, scope),
    }))
  ).filter(({ kind, path }) => {
    const isWide = [home, ...scope].some((one) => one !== undefined && isWithin(one, path));
    return path.startsWith("/") && writtenOut(path) === path && !isWide &&
      (kind === "protected" ? scope.some((tree) => isWithin(path, tree)) : !scope.some((tree) => isWithin(path, tree)));
  });
}

/** Names of protected paths are relative to their tree. */
function absolute(named: string, denied: string, scope: readonly string[]): string {
  const tree = named.startsWith("/") ? undefined : scope.find((one) => isWithin(denied, one));
  return tree === undefined ? named : `${tree === "/" ? "" : tree}/${named}`;
}
