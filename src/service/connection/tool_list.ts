/** `tools/list`: the tools of all sources as one client sees them. */
import type { Tool } from "@modelcontextprotocol/server";
import { mergedList } from "../../base/lazy.ts";
import { supportsTask } from "../../catalog/format/builtin_traits.ts";
import { listedName } from "../result/listed_texts.ts";
import type { Service } from "../service.ts";

const TASK_SUPPORT = { taskSupport: "optional" } as const;

/** All tools, source by source; a taken name is left out with a warning. `withTasks` marks possible tasks. */
export function toolList(
  { sources, settings, log }: Pick<Service, "sources" | "settings" | "log">,
): () => Promise<{ readonly plain: Tool[]; readonly withTasks: Tool[] }> {
  return mergedList(sources, (tools, leftOut) => {
    for (const { name } of leftOut) log.warn("Tool left out: another source has its name", { name });
    const plain = tools.map((tool) => ({ ...tool, name: listedName({ settings }, tool.name) }));
    const withTasks = plain.map((tool, index) =>
      !settings.synchronous && supportsTask(tools[index]?.name ?? "") ? { ...tool, execution: TASK_SUPPORT } : tool
    );
    return { plain, withTasks };
  });
}
