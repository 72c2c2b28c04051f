/** Where this program keeps its state (S3, S36): out of every command's reach, or nowhere. */
import { isWithin, linksOnTheWay, placeOf } from "../paths.ts";
import { stateDirectory } from "../user_directories.ts";

/**
 * A directory `name` of the state. Undefined: no variable says where that is, or commands could write there. They cannot
 * read it: the state is a place of credentials. `writable`: canonical trees that commands can write to.
 */
export function closedStateDirectory(
  environment: Readonly<Record<string, string>>,
  writable: readonly string[],
  name: string,
): string | undefined {
  const state = stateDirectory(environment);
  if (state === undefined) return undefined;
  const directory = `${state}/${name}`;
  const isOpen = [placeOf(directory), ...linksOnTheWay(directory)].some((path) =>
    writable.some((tree) => isWithin(path, tree))
  );
  return isOpen ? undefined : directory;
}
