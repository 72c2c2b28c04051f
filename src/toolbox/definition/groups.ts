/** The tools of the groups. */
import { TOOL_GROUPS, type ToolGroup } from "../../settings/bundles.ts";
import { CHANGE_TOOLS } from "./changes.ts";
import { FILE_TOOLS } from "./files.ts";
import type { ToolDefinition, WorkerKind } from "./tool_definition.ts";

interface Group {
  readonly worker: WorkerKind;
  readonly tools: readonly ToolDefinition[];
}

const GROUPS: Readonly<Record<ToolGroup, Group>> = {
  files: { worker: "project", tools: FILE_TOOLS },
  changes: { worker: "project", tools: CHANGE_TOOLS },
};

/** A tool and the worker that runs it. */
export interface GroupedTool {
  readonly definition: ToolDefinition;
  readonly worker: WorkerKind;
}

/** The tools of these groups, in their order. */
export function toolsOf(groups: readonly ToolGroup[]): readonly GroupedTool[] {
  return groups.flatMap((name) => {
    const { worker, tools } = GROUPS[name];
    return tools.map((definition) => ({ definition, worker }));
  });
}

/** The group of a tool; undefined: no native tool has the name. */
export function groupOf(name: string): ToolGroup | undefined {
  return TOOL_GROUPS.find((group) => GROUPS[group].tools.some((tool) => tool.name === name));
}
