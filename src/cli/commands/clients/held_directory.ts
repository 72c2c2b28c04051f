/**
 * Work on files of one directory that stays the same while commands exchange directories and links: the process has it
 * as its working directory during the work.
 */
import { messageOf, UserError } from "../../../base/errors.ts";

/** A directory below another. */
export interface DirectoryBelow {
  /** Canonical, and the user's own choice: the project, or home. */
  readonly top: string;
  /** Names on the way down. */
  readonly below: readonly string[];
  /** Whether links on the way are followed: those of the user's home are the user's, those of a project anyone's. */
  readonly followLinks: boolean;
}

/**
 * What `work` gives, done in the directory; undefined where it is missing and `make` is false.
 *
 * @throws {UserError} where a link or a file stands in the way, or the system refuses
 */
export function inDirectory<Result>(
  { top, below, followLinks }: DirectoryBelow,
  { make }: { readonly make: boolean },
  work: () => Result,
): Result | undefined {
  const before = Deno.cwd();
  try {
    Deno.chdir(top);
    for (const name of below) if (!enter(name, { make, followLinks })) return undefined;
    return work();
  } finally {
    Deno.chdir(before);
  }
}

function enter(
  name: string,
  { make, followLinks }: { readonly make: boolean; readonly followLinks: boolean },
): boolean {
  const expected = `${Deno.realPathSync(".")}/${name}`.replace("//", "/");
  try {
    Deno.chdir(name);
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) {
      if (!make) return false;
      makeIn(name, expected);
      return enter(name, { make: false, followLinks });
    }
    throw new UserError(`Cannot enter "${expected}": ${messageOf(thrown)}`, { cause: thrown });
  }
  if (followLinks || Deno.realPathSync(".") === expected) return true;
  throw new UserError(
    `"${expected}" is a link, which may lead out of the project. Remove it, or write the file by hand`,
  );
}

function makeIn(name: string, path: string): void {
  try {
    Deno.mkdirSync(name);
  } catch (thrown) {
    throw new UserError(`Cannot make "${path}": ${messageOf(thrown)}`, { cause: thrown });
  }
}
