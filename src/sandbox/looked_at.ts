/** What is at a path that a failed command mentioned (S15). */
import { parentOf } from "./paths.ts";

export interface Place {
  /** Canonical; the last name as mentioned where nothing is there. */
  readonly path: string;
  /** Undefined: nothing is there, but its directory is. */
  readonly kind: "file" | "program" | "directory" | "socket" | undefined;
}

/** Undefined: nothing can be said of it. */
export async function look(path: string): Promise<Place | undefined> {
  // The runtime takes such steps out before it follows links, the kernel after: better nothing than something wrong.
  if (path.split("/").includes("..")) return undefined;
  const real = await present(() => Deno.realPath(path));
  if (real !== undefined) {
    const facts = await present(() => Deno.stat(real));
    if (facts === undefined) return undefined;
    const program = facts.isFile && ((facts.mode ?? 0) & 0o111) !== 0;
    const kind = facts.isDirectory ? "directory" : facts.isSocket === true ? "socket" : program ? "program" : "file";
    return { path: real, kind };
  }
  const directory = await present(() => Deno.realPath(parentOf(path)));
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (directory === undefined) return undefined;
  return { path: `${directory === "/" ? "" : directory}/${name}`, kind: undefined };
}

/** Undefined for what is not there or cannot be looked at: nothing is said about it. */
export async function present<Value>(find: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}
