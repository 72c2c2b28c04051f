/** The files of this repository, as the tests of its form read them. */
import assert from "node:assert/strict";

export const ROOT = new URL("../../", import.meta.url);

export interface SourceFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

/** The TypeScript files below `folder` (from the root, with a slash at its end), fixtures left out, in order of their paths. */
export async function filesUnder(folder: string): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for await (const entry of Deno.readDir(new URL(folder, ROOT))) {
    const path = folder + entry.name;
    if (entry.isDirectory && path !== "tests/fixtures") files.push(...await filesUnder(`${path}/`));
    if (entry.isFile && path.endsWith(".ts")) files.push({ path, text: await Deno.readTextFile(new URL(path, ROOT)) });
  }
  assert.ok(files.length > 0, `No source below ${folder}`);
  return files.sort((a, b) => a.path < b.path ? -1 : 1);
}

/** A block comment begins a line: elsewhere the same characters are a pattern of file names (`"/dev/fd/*"`). */
const BLOCK = String.raw`^[ \t]*\/\*[\s\S]*?\*\/`;

/** The code of a source without blocks and lines of comment; strings stay, since imports are strings. */
export function withoutComments(text: string): string {
  return text.replace(new RegExp(BLOCK, "gm"), "").replace(/^\s*\/\/.*$/gm, "");
}

/** The comments of a source: blocks, lines, and what follows code on its line. */
export function commentsOf(text: string): string[] {
  return [...text.matchAll(new RegExp(String.raw`${BLOCK}|(?:^|\s)\/\/ .*$`, "gm"))].map(([comment]) => comment);
}

/** Names given to tests and to their steps. */
export function testNames(text: string): string[] {
  const code = withoutComments(text);
  const names = code.matchAll(
    /(?:Deno\.test(?:\.\w+)?|\.step|(?<![.\w])test(?:[A-Z]\w*)?)\(\s*(?:"([^"]*)"|`([^`]*)`)/g,
  );
  const fields = code.matchAll(/^\s*name:\s*(?:"([^"]*)"|`([^`]*)`)/gm);
  return [...names, ...fields].map((match) => match[1] ?? match[2] ?? "");
}

/** The paths of all files and folders from the root, except build results and git's own files. */
export async function repositoryPaths(folder = ""): Promise<ReadonlySet<string>> {
  const paths = new Set<string>();
  for await (const { name, isDirectory } of Deno.readDir(new URL(`./${folder}`, ROOT))) {
    if (folder === "" && [".git", "dist", "node_modules", "coverage"].includes(name)) continue;
    paths.add(folder + name);
    if (!isDirectory) continue;
    for (const path of await repositoryPaths(`${folder}${name}/`)) paths.add(path);
  }
  return paths;
}
