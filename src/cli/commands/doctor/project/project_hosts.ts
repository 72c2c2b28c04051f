/** The hosts that the files of a project name (S30): where its programs fetch from, and its remotes. */
import type { NameList } from "../../../../base/network/name_list.ts";
import { gitValues } from "../../../../sandbox/protect/git_hook_paths.ts";
import { readTextIfRegular } from "../../../../system/reading/regular_file.ts";
import { neededHosts } from "./network_needs.ts";
import { lookAtProject } from "./project_files.ts";
import { needsOf } from "./project_needs.ts";

const LARGEST_CONFIGURATION = 1024 * 1024;

/** Empty: none are needed. */
export function hostsNamedIn(scope: string): NameList {
  const { tools, addresses } = needsOf(lookAtProject(scope));
  const remotes = gitValues(gitConfiguration(scope), "url");
  return neededHosts(tools.map(({ name }) => name), [...addresses, ...remotes]);
}

/** The configuration of the repository in a scope; empty: there is none to be read. */
export function gitConfiguration(scope: string): string {
  return readTextIfRegular(`${scope}/.git/config`, LARGEST_CONFIGURATION) ?? "";
}
