/** Follows a path link by link and lists the links and directories on it, because a command could exchange each. */
import type { FileFacts } from "./libc.ts";
import { isExpected, MOST_LINKS, parentOf } from "./paths.ts";

export interface Followed {
  /** Where the path ends: its target, or the first missing name. Canonical if `from` is. */
  readonly path: string;
  /** Facts about the target, which is never a link; undefined: it is missing or out of reach. */
  readonly facts: FileFacts | undefined;
  /** Links and directories on the path, in order, without `from` and the directories above it. */
  readonly passed: readonly { readonly path: string; readonly facts: FileFacts }[];
  /** Whether the target of a link on the path is not valid text. */
  readonly unreadable: boolean;
}

export interface Way {
  /** A canonical directory. */
  readonly from: string;
  /** Relative to `from`. */
  readonly path: string;
  readonly look: (path: string) => FileFacts | undefined;
}

export function followLinks({ from, path, look }: Way): Followed {
  const rest = namesOf(path);
  const passed: { path: string; facts: FileFacts }[] = [];
  let current = from;
  let facts = look(from);
  let links = 0;
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === "..") {
      current = parentOf(current);
      facts = look(current);
      continue;
    }
    const next = `${current === "/" ? "" : current}/${name}`;
    facts = look(next);
    if (facts?.kind === "link") {
      passed.push({ path: next, facts });
      const target = ++links > MOST_LINKS ? undefined : targetOf(next);
      if (target === undefined || target === UNREADABLE) {
        return { path: next, facts: undefined, passed, unreadable: target === UNREADABLE };
      }
      if (target.startsWith("/")) current = "/";
      rest.unshift(...namesOf(target));
      facts = look(current);
      continue;
    }
    const isLast = rest.length === 0;
    if (facts === undefined || !isLast && facts.kind !== "directory") {
      return { path: next, facts: undefined, passed, unreadable: false };
    }
    if (!isLast) passed.push({ path: next, facts });
    current = next;
  }
  return { path: current, facts, passed, unreadable: false };
}

function namesOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

const UNREADABLE = Symbol("no valid text");

function targetOf(link: string): string | undefined | typeof UNREADABLE {
  try {
    return Deno.readLinkSync(link);
  } catch (error) {
    if (error instanceof Deno.errors.InvalidData) return UNREADABLE;
    if (isExpected(error)) return undefined;
    throw error;
  }
}
