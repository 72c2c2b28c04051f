/** Whether tool files narrow the network of their commands to hosts, which the server then looks up itself (S43). */
import { findToolsDirectory, readableDirectories } from "../../catalog/load/find_tools.ts";
import { readToolTexts } from "../../catalog/load/read_directory.ts";
import { projectDirectory } from "../../settings/project_directories.ts";
import type { Settings } from "../../settings/settings.ts";
import { absolutePath } from "../../system/paths.ts";

/** Asked before the start, where nothing else needs the network; files that come later are told of at their first call. */
export function toolFilesListHosts({ sandbox, toolsDirectory }: Pick<Settings, "sandbox" | "toolsDirectory">): boolean {
  if (!sandbox.enforce || sandbox.confinement.network !== "full") return false;
  const cwd = projectDirectory(sandbox.scopes, Deno.cwd());
  const explicit = toolsDirectory === undefined ? undefined : absolutePath(toolsDirectory, Deno.cwd());
  const directory = findToolsDirectory(explicit, cwd);
  return directory !== undefined &&
    readToolTexts(directory, readableDirectories(explicit, cwd)).texts.some(({ text }) => LIST.test(text));
}

const LIST = /"network"\s*:\s*\[/;
