/** Reads all issues of a project. */
import type { Project } from "../../project/project.ts";
import type { Yaml } from "../format/front_matter.ts";
import { type NoteListing, readNotes } from "../store/note_files.ts";
import { readIssue } from "./issue.ts";
import { IssueSet } from "./issue_set.ts";

export interface LoadedIssues {
  readonly set: IssueSet;
  readonly listing: NoteListing;
}

export function loadIssues(yaml: Yaml, project: Project): LoadedIssues {
  const listing = readNotes(project, "issues");
  return { listing, set: new IssueSet(listing.files.map((file) => readIssue(yaml, file))) };
}
