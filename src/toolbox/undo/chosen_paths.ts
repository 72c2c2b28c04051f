/** The paths that a call names, among those that an operation changed. Pure. */
import { UserError } from "../../base/errors.ts";
import { absolutePath, isWithin, normalPath } from "../../system/paths.ts";
import { nameOf, type Shown } from "./texts.ts";

/** What is chosen from. */
export interface Choice {
  readonly operation: string;
  readonly changes: readonly { readonly path: string }[];
  /** Where relative paths start. */
  readonly directory: string;
  readonly shown: Shown;
}

/**
 * Each as an absolute path; undefined: all. A name as it is shown counts too, because names with control characters and
 * those that are not UTF-8 cannot be given otherwise. @throws {UserError} When one names nothing that was changed.
 */
export function chosenPaths(named: readonly string[] | undefined, choice: Choice): readonly string[] | undefined {
  return named?.map((one) => chosenPath(one, choice));
}

function chosenPath(named: string, { operation, changes, directory, shown }: Choice): string {
  const path = normalPath(absolutePath(named, directory));
  if (named !== "" && changes.some((change) => isWithin(change.path, path))) return path;
  const name = nameOf(path, shown);
  const [first, ...more] = named === "" ? [] : changes.filter((change) => nameOf(change.path, shown) === name);
  if (first !== undefined && more.length === 0) return first.path;
  const why = first === undefined ? "is not one of its changes" : `stands for ${1 + more.length} of its changes`;
  throw new UserError(`${JSON.stringify(named)} ${why}: \`changes\` ${operation} without \`paths\` lists them`);
}
