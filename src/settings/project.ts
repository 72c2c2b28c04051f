import { isWithin, realPath } from "../system/paths.ts";
import { scopeDirectory } from "../sandbox/grants/resolve_scopes.ts";

/**
 * The project, whose `.ahma` holds tool files and settings: the working directory where it lies in a scope, else the
 * first scope. Clients with a window start servers elsewhere and name the scope. `scopes`: as given, empty for none.
 */
export function projectDirectory(scopes: readonly string[], workingDirectory: string): string {
  const trees = scopes.map((scope) => scopeDirectory(scope, workingDirectory)).filter((tree) => tree !== undefined);
  const [first] = trees;
  const here = realPath(workingDirectory) ?? workingDirectory;
  return first === undefined || trees.some((tree) => isWithin(here, tree)) ? workingDirectory : first;
}
