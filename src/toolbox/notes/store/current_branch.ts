/** The branch that git has checked out in the project. */
import { UserError } from "../../../base/errors.ts";
import type { Project } from "../../project/project.ts";

/** Maximum size of a HEAD file, bytes. */
const LONGEST_HEAD = 4096;

/** @throws {UserError} When the project is not a git work tree, or not on a branch. */
export async function currentBranch(project: Project): Promise<string> {
  const link = await head(project, ".git");
  const [, directory = ".git"] = /^gitdir: (.+)/.exec(link ?? "") ?? [];
  const [, branch] = /^ref: refs\/heads\/(.+)/.exec(await head(project, `${directory}/HEAD`) ?? "") ?? [];
  if (branch === undefined) throw new UserError('Cannot tell the issue of "current": git is on no branch here');
  return branch.trim();
}

/** The beginning of a file; undefined: it is missing or unreadable. */
async function head(project: Project, path: string): Promise<string | undefined> {
  try {
    const opened = await project.open(path);
    try {
      const bytes = new Uint8Array(LONGEST_HEAD);
      return new TextDecoder().decode(bytes.subarray(0, opened.readAt(bytes, 0)));
    } finally {
      opened[Symbol.dispose]();
    }
  } catch (thrown) {
    if (thrown instanceof UserError) return undefined;
    throw thrown;
  }
}
