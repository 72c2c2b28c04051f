/** When files were added to the repository. */
import { UserError } from "../../../base/errors.ts";
import { runGit } from "../../project/programs.ts";
import type { Project } from "../../project/project.ts";

const SECONDS = 20;

/** The time of the first commit by path, relative to the project; empty if git does not know the files. */
export async function firstCommits(
  project: Project,
  directories: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const times = new Map<string, string>();
  const words = ["log", "--diff-filter=A", "--relative", "--name-only", "--format=%x01%aI", "-z", "--", ...directories];
  const late = AbortSignal.any([signal, AbortSignal.timeout(SECONDS * 1000)]);
  try {
    const { stdout } = await runGit(words, { directory: project.directory, signal: late });
    let time = "";
    // The newest commit comes first, so the oldest wins.
    for (const part of stdout.split(/[\0\n]/)) {
      if (part.startsWith("\x01")) time = part.slice(1);
      else if (part !== "") times.set(part, time);
    }
    return times;
  } catch (thrown) {
    if (thrown instanceof UserError || late.aborted) return times;
    throw thrown;
  }
}
