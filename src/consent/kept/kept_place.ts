/** Where grants are kept (S36): out of every command's reach, or nowhere. */
import { isWithin, linksOnTheWay, placeOf } from "../../system/paths.ts";
import { stateDirectory } from "../../system/user_directories.ts";

/**
 * Undefined: no variable says where the user's state is kept, or commands could write there. They cannot read it: the
 * directory is one of credentials. `writable`: canonical trees that commands can write to.
 */
export function keptGrantsDirectory(
  environment: Readonly<Record<string, string>>,
  writable: readonly string[],
): string | undefined {
  const state = stateDirectory(environment);
  if (state === undefined) return undefined;
  const directory = `${state}/grants`;
  const isOpen = [placeOf(directory), ...linksOnTheWay(directory)].some((path) =>
    writable.some((tree) => isWithin(path, tree))
  );
  return isOpen ? undefined : directory;
}
