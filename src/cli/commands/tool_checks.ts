import { describeProblem } from "../../catalog/problem.ts";
import { compose, type ComposeOptions } from "../compose.ts";
import type { Check } from "./check.ts";

/** The tool files: which are in service, which were left out and why, which programs are missing (requirement L6). */
export async function checkTools(options: ComposeOptions): Promise<readonly Check[]> {
  await using program = await compose(options);
  const catalog = await program.checkedTools();
  const files = new Set(catalog.tools.map(({ file }) => file));
  const leaves = catalog.leaves.length;
  const loaded: Check = files.size === 0
    ? {
      id: "tools",
      title: "tool files",
      status: "warning",
      message: 'none: "ahma_mcp init" writes a first one, --bundles offers the shipped ones',
    }
    : { id: "tools", title: "tool files", status: "ok", message: `${files.size} with ${leaves} tools` };
  return [
    loaded,
    ...catalog.problems.map((problem): Check => ({
      id: "tool_file",
      title: problem.severity === "error" ? "tool file left out" : "tool file",
      // The server starts without it.
      status: "warning",
      message: describeProblem(problem),
    })),
    ...(catalog.unavailable ?? []).map(({ names, reason, installInstructions }): Check => ({
      id: "tool_unavailable",
      title: "not available",
      status: "warning",
      message: `${names.join(", ")}: ${reason}${installInstructions === "" ? "" : `. ${installInstructions}`}`,
    })),
  ];
}
