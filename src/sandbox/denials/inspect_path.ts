/** What exists at a path that a failed command mentioned (S15). */
import { undefinedFor } from "../../base/errors.ts";
import { isExecutableFile } from "../../system/search_path.ts";
import { parentOf } from "../../system/paths.ts";
import type { SandboxPolicy } from "../policy/policy.ts";
import { pathOutside } from "../directories/private_temporary.ts";

export interface Place {
  /** Canonical; the last name as mentioned if nothing exists there. */
  readonly path: string;
  /** Undefined: nothing is there, but its directory is. */
  readonly kind: "file" | "program" | "directory" | "socket" | undefined;
}

/** `named` is absolute. Undefined: nothing can be said about it. */
export async function look(named: string): Promise<Place | undefined> {
  const path = await withoutStepsUp(named);
  if (path === undefined) return undefined;
  const real = await present(() => Deno.realPath(path));
  if (real !== undefined) {
    const facts = await present(() => Deno.stat(real));
    if (facts === undefined) return undefined;
    const program = isExecutableFile(facts);
    const kind = facts.isDirectory ? "directory" : facts.isSocket === true ? "socket" : program ? "program" : "file";
    return { path: real, kind };
  }
  const directory = await present(() => Deno.realPath(parentOf(path)));
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (directory === undefined) return undefined;
  return { path: `${directory === "/" ? "" : directory}/${name}`, kind: undefined };
}

/** The nearest place above `named` about which something can be said. */
export async function lookAbove(named: string): Promise<Place | undefined> {
  for (let above = parentOf(named); above !== "/"; above = parentOf(above)) {
    const place = await look(above);
    if (place !== undefined) return place;
  }
  return undefined;
}

/** What a command saw at `named`, perhaps in its own /tmp; if nothing, what others see there. */
export async function lookAsSeen(named: string, policy: SandboxPolicy): Promise<Place | undefined> {
  const outside = pathOutside(policy, named);
  const seen = await look(outside);
  if (outside === named || seen?.kind !== undefined) return seen;
  const meant = await look(named);
  return meant?.kind === undefined ? seen : meant;
}

/** Follows links one by one before `..`, as the kernel does; undefined: the directory before a `..` is missing. */
async function withoutStepsUp(path: string): Promise<string | undefined> {
  const [start = "", ...rest] = path.split(/\/\.\.(?=\/|$)/);
  let reached = start;
  for (const names of rest) {
    const real = await present(() => Deno.realPath(reached === "" ? "/" : reached));
    if (real === undefined) return undefined;
    const above = parentOf(real);
    reached = `${above === "/" ? "" : above}${names}`;
  }
  return reached === "" ? "/" : reached;
}

/** Undefined for what does not exist or cannot be inspected: nothing is said about it. */
export async function present<Value>(find: () => Promise<Value>): Promise<Value | undefined> {
  return await find().catch(undefinedFor(Error));
}
