/** The manifest of an MCP bundle (`.mcpb`), which Claude Desktop and other clients install by a click. */
import type { Target } from "../executable/pins.ts";
import { platformOf, programName } from "./asset.ts";
import { pageOf, type PublicProject } from "./project.ts";

/** The tools that are always there; tool files add others. */
const TOOLS: readonly (readonly [name: string, description: string])[] = [
  ["sandboxed_shell", "Runs a shell line in the sandbox."],
  ["status", "Says what runs, waits and has ended."],
  ["await", "Waits for operations and gives their results."],
  ["send", "Types into an operation and gives what it answers."],
  ["cancel", "Ends an operation with all its processes."],
];

/** `manifest.json` for one target; the format knows no processors, so the name of the file tells. */
export function mcpbManifest(project: PublicProject, target: Target): object {
  const { name, title, version, description, keywords, license, authors } = project;
  const entryPoint = `server/${programName(project, target)}`;
  return {
    manifest_version: "0.3",
    name,
    display_name: title,
    version,
    description,
    author: { name: authors },
    repository: { type: "git", url: `${pageOf(project)}.git` },
    homepage: pageOf(project),
    server: {
      type: "binary",
      entry_point: entryPoint,
      mcp_config: {
        command: `\${__dirname}/${entryPoint}`,
        args: ["--sandbox-scope", "${user_config.scope}", "--bundles", "git"],
      },
    },
    tools: TOOLS.map(([name, description]) => ({ name, description })),
    tools_generated: true,
    keywords,
    license,
    compatibility: { platforms: [platformOf(target).system] },
    user_config: {
      scope: {
        type: "directory",
        title: "Project directory",
        description: "Commands write here and nowhere else.",
        required: true,
      },
    },
  };
}
