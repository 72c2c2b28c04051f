/** The tools of the groups. */
import { TOOL_GROUPS, type ToolGroup } from "../../settings/bundles.ts";
import { READING_TOOLS } from "./files_reading.ts";
import { PATCH_TOOLS, WRITING_TOOLS } from "./files_writing.ts";
import { FLOW_TOOLS } from "./flow.ts";
import { ISSUE_TOOLS } from "./issues.ts";
import { MEMO_TOOLS, TODO_TOOLS } from "./memos.ts";
import { QUESTION_TOOLS } from "./question.ts";
import type { ArgumentsOf } from "./parameters.ts";
import { RULE_TOOLS } from "./rules.ts";
import { CHANGE_TOOLS, SEARCH_TOOLS } from "./search.ts";
import type { ToolDefinition, ToolPlace } from "./tool_definition.ts";
import { WEB_TOOLS } from "./web.ts";

interface Group {
  readonly place: ToolPlace;
  readonly tools: readonly ToolDefinition[];
}

const TABLE = {
  files: { place: "project", tools: [...READING_TOOLS, ...WRITING_TOOLS] },
  files_patch: { place: "project", tools: PATCH_TOOLS },
  search: { place: "project", tools: SEARCH_TOOLS },
  changes: { place: "project", tools: CHANGE_TOOLS },
  flow: { place: "server", tools: FLOW_TOOLS },
  issues: { place: "project", tools: ISSUE_TOOLS },
  rules: { place: "project", tools: RULE_TOOLS },
  web: { place: "web", tools: WEB_TOOLS },
  memos: { place: "project", tools: MEMO_TOOLS },
  todo: { place: "project", tools: TODO_TOOLS },
  question: { place: "project", tools: QUESTION_TOOLS },
} as const satisfies Readonly<Record<ToolGroup, Group>>;
const GROUPS: Readonly<Record<ToolGroup, Group>> = TABLE;

type AnyTool = typeof TABLE[ToolGroup]["tools"][number];

/** The checked arguments of a tool, by its name. */
export type CallOf<Name extends AnyTool["name"]> = ArgumentsOf<Extract<AnyTool, { readonly name: Name }>["parameters"]>;

/** A tool and what runs it. */
export interface GroupedTool {
  readonly definition: ToolDefinition;
  readonly place: ToolPlace;
}

/** The tools of these groups, in their order. */
export function toolsOf(groups: readonly ToolGroup[]): readonly GroupedTool[] {
  return groups.flatMap((name) => {
    const { place, tools } = GROUPS[name];
    return tools.map((definition) => ({ definition, place: definition.place ?? place }));
  });
}

/** The group of a tool; undefined: no native tool has the name. */
export function groupOf(name: string): ToolGroup | undefined {
  return TOOL_GROUPS.find((group) => GROUPS[group].tools.some((tool) => tool.name === name));
}

/** The names of all native tools. */
export function nativeNames(): readonly string[] {
  return toolsOf(TOOL_GROUPS).map(({ definition }) => definition.name);
}
