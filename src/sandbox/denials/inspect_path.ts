/** What is at a path that a failed command mentioned (S15). */
import { undefinedFor } from "../../base/errors.ts";
import { isExecutableFile } from "../../system/search_path.ts";
import { parentOf } from "../../system/paths.ts";
import type { SandboxPolicy } from "../policy/policy.ts";
import { pathOutside } from "../directories/private_temporary.ts";

export interface Place {
  /** Canonical; the last name as mentioned where nothing is there. */
  readonly path: string;
  /** Undefined: nothing is there, but its directory is. */
  readonly kind: "file" | "program" | "directory" | "socket" | undefined;
}

/** `named` is absolute. Undefined: nothing can be said of it. */
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

/** The nearest place above `named` of which something can be said. */
export async function lookAbove(named: string): Promise<Place | undefined> {
  for (let above = parentOf(named); above !== "/"; above = parentOf(above)) {
    const place = await look(above);
    if (place !== undefined) return place;
  }
  return undefined;
}

/**
 * What a command saw at the path `named`, which may be in its own /tmp. Where nothing is there, what others see at that path
 * is what the command's author meant.
 */
export async function lookAsSeen(named: string, policy: SandboxPolicy): Promise<Place | undefined> {
  const outside = pathOutside(policy, named);
  const seen = await look(outside);
  if (outside === named || seen?.kind !== undefined) return seen;
  const meant = await look(named);
  return meant?.kind === undefined ? seen : meant;
}

/**
 * The runtime takes `..` out before it follows links, the kernel after, so they are followed one by one here. Undefined:
 * what one of them starts from is not there.
 */
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

/** Undefined for what is not there or cannot be looked at: nothing is said about it. */
export async function present<Value>(find: () => Promise<Value>): Promise<Value | undefined> {
  return await find().catch(undefinedFor(Error));
}
