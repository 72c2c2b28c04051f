/** What `status` says of each server (O2). */
import { counted } from "../../base/text.ts";
import { shorten } from "../../base/visible_text.ts";
import { itemsOf, withheldReason } from "../definitions/pins.ts";
import type { UpstreamServer } from "./upstream_server.ts";

/** A tool that a server has, as `status` needs it. */
export interface SeenTool {
  readonly name: string;
  /** Whether its usual name is taken, or begins like the names of another server. */
  readonly collides: boolean;
  /** Whether it came after the server was approved. */
  readonly isAdded: boolean;
  /** Why it is not offered; undefined: it is. */
  readonly problem: string | undefined;
}

/** How many of a server's last lines of stderr are shown. */
const MOST_LINES = 15;
const LONGEST_LINE = 300;

/** The state of a server, and what a person should know of its tools. */
export function statusOf(server: UpstreamServer, tools: readonly SeenTool[]): readonly string[] {
  const { spec, state, problem, denied } = server;
  const offered = tools.filter((tool) => tool.problem === undefined).length;
  const known = server.record === undefined ? "" : `, ${[counted(offered, "tool"), ...otherCounts(server)].join(", ")}`;
  const [reason = "", ...rest] = problem?.split("\n") ?? [];
  const seconds = Math.ceil((server.nextTry - performance.now()) / 1000);
  const wait = state === "failed" && seconds > 0 ? ` (next try in ${seconds} s)` : "";
  return [
    `${spec.name}: ${state}${known}${reason === "" ? "" : `: ${shorten(reason, LONGEST_LINE)}`}${wait}`,
    ...rest.slice(-MOST_LINES).map((line) => `  ${shorten(line, LONGEST_LINE)}`),
    ...denied === undefined || problem?.includes(denied) === true ? [] : [`  last denied: ${denied}`],
    ...tools.flatMap((tool) => tool.problem === undefined ? [] : [`  ${tool.name}: ${tool.problem}`]),
    ...itemsWithReason(server),
    ...listed("new since it was approved", tools.filter(({ isAdded, problem }) => isAdded && problem === undefined)),
    ...listed("renamed, because another tool or server has the name", tools.filter(({ collides }) => collides)),
  ];
}

function otherCounts({ record }: UpstreamServer): readonly string[] {
  return (["prompt", "resource"] as const).flatMap((kind) => {
    const { length } = itemsOf(record, kind);
    return length === 0 ? [] : [counted(length, kind)];
  });
}

/** Items other than tools that wait for a person's approval. */
function itemsWithReason(server: UpstreamServer): readonly string[] {
  return (server.record?.seen ?? []).flatMap((item) => {
    const reason = "kind" in item ? withheldReason(server, item) : undefined;
    return reason === undefined ? [] : [`  ${shorten(item.name, LONGEST_LINE)}: ${reason}`];
  });
}

function listed(what: string, tools: readonly SeenTool[]): readonly string[] {
  return tools.length === 0 ? [] : [`  ${what}: ${tools.map(({ name }) => name).join(", ")}`];
}
