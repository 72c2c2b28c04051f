/** The project, and the directories in it that its settings may move (K6, K7, K8). */
import { absolutePath, isWithin, realPath } from "../system/paths.ts";
import { scopeDirectory } from "../sandbox/grants/resolve_scopes.ts";

export const DIRECTORY_KINDS = ["issues", "memos", "flows", "rules"] as const;
export type DirectoryKind = typeof DIRECTORY_KINDS[number];

/** As typed; relative ones start in the project. Undefined: the default. */
export type DirectoryChoice = Readonly<Record<DirectoryKind, string | undefined>>;

/** Relative to the project. */
export type ProjectDirectories = Readonly<Record<DirectoryKind, string>>;

export const DEFAULT_DIRECTORIES: ProjectDirectories = {
  issues: ".ahma/issues",
  memos: ".ahma/memos",
  flows: ".ahma/flows",
  rules: ".ahma/rules",
};

export interface DirectorySettings {
  readonly directories: DirectoryChoice;
  readonly sandbox: { readonly scopes: readonly string[] };
}

/** Absolute; undefined: the default. */
export function chosenDirectory({ directories, sandbox }: DirectorySettings, kind: DirectoryKind): string | undefined {
  const given = directories[kind];
  const cwd = Deno.cwd();
  return given === undefined ? undefined : absolutePath(given, projectDirectory(sandbox.scopes, cwd));
}

/** The project, whose `.ahma` has tool files and settings: the working directory if in a scope, else the first. */
export function projectDirectory(scopes: readonly string[], workingDirectory: string): string {
  const trees = scopes.map((scope) => scopeDirectory(scope, workingDirectory)).filter((tree) => tree !== undefined);
  const [first] = trees;
  const here = realPath(workingDirectory) ?? workingDirectory;
  return first === undefined || trees.some((tree) => isWithin(here, tree)) ? workingDirectory : first;
}
