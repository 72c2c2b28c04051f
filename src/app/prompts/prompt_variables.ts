/** The variables of every template (Q4). */
import { leadsOut } from "../../catalog/load/find_tools.ts";
import { readTextIfRegular } from "../../system/reading/regular_file.ts";

export interface PromptSurroundings {
  /** The project, absolute. */
  readonly directory: string;
  /** Absolute. */
  readonly issues: string;
  /** The variables that the user lets templates read. */
  readonly environment: Readonly<Record<string, string>>;
  readonly now: Date;
}

/** `git_branch` is read when a template asks for it. */
export function promptVariables(
  { directory, issues, environment, now }: PromptSurroundings,
): Readonly<Record<string, unknown>> {
  const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()];
  return {
    project_name: directory.slice(directory.lastIndexOf("/") + 1),
    working_directory: directory,
    issues_directory: issues,
    date: day.map((part) => String(part).padStart(2, "0")).join("-"),
    env: environment,
    git_branch: () => branchOf(directory),
  };
}

/** The branch of a repository; empty: there is none, or it lies elsewhere. Nothing else of the file is given out. */
function branchOf(directory: string): string {
  const file = `${directory}/.git/HEAD`;
  const text = leadsOut(file, directory) ? undefined : readTextIfRegular(file, 1_000);
  return /^ref: refs\/heads\/([\x21-\x7e]{1,200})\n?$/.exec(text ?? "")?.[1] ?? "";
}
