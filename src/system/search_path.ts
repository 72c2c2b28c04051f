/** The search for programs. Pure. */
import { withoutTrailing } from "../base/text.ts";

/** The absolute directories of a PATH; the usual ones if it has none. */
export function searchPath(path: string | undefined): readonly string[] {
  const entries = (path ?? "").split(":").filter((entry) => entry.startsWith("/"));
  const cleaned = entries.map((entry) => entry.length > 1 ? withoutTrailing(entry, "/") : entry);
  return cleaned.length > 0 ? [...new Set(cleaned)] : ["/usr/local/bin", "/usr/bin", "/bin"];
}

/** Where `execve` looks for a program, in order, as a shell would. */
export function programPaths(program: string, path: readonly string[], directory: string): readonly string[] {
  if (program.startsWith("/")) return [program];
  if (program.includes("/")) return [`${directory}/${program}`];
  return path.map((entry) => `${entry}/${program}`);
}

/** Whether it is a regular file with at least one execute bit. */
export function isExecutableFile({ isFile, mode }: Pick<Deno.FileInfo, "isFile" | "mode">): boolean {
  return isFile && ((mode ?? 0) & 0o111) !== 0;
}
