/** `tools/list`: the tools of every source as one client sees them. */
import { ProtocolError, ProtocolErrorCode, type Tool } from "@modelcontextprotocol/server";
import { supportsTask } from "../../catalog/format/builtin_traits.ts";
import { shownValue } from "../../base/text.ts";
import { listedName } from "../result/listed_texts.ts";
import type { Service } from "../service.ts";

type ListedService = Pick<Service, "sources" | "settings" | "log">;

const TASK_SUPPORT = { taskSupport: "optional" } as const;

/** Joins the lists of all sources; keeps the last result, because most clients ask more than once. */
export class ToolList {
  readonly #service: ListedService;
  #lists: readonly (readonly Tool[])[] = [];
  #tools: Tool[] = [];
  #withTasks: Tool[] = [];

  constructor(service: ListedService) {
    this.#service = service;
  }

  /**
   * All tools, source by source; a name that an earlier source has is left out, with a warning in the log. `withTasks`: says which tools may be
   * called as tasks, for the one version that has a word for it.
   */
  async all(withTasks = false): Promise<Tool[]> {
    const { sources, settings, log } = this.#service;
    const lists = await Promise.all(sources.map((source) => source.list()));
    if (lists.some((list, index) => list !== this.#lists[index])) {
      const byName = new Map(lists.flat().toReversed().map((tool) => [tool.name, tool]));
      const tools = lists.flat().filter((tool) => byName.get(tool.name) === tool);
      for (const { name } of lists.flat().filter((tool) => !tools.includes(tool))) {
        log.warn("Tool left out: another source has its name", { name });
      }
      this.#tools = tools.map((tool) => ({ ...tool, name: listedName({ settings }, tool.name) }));
      this.#withTasks = this.#tools.map((tool, index) =>
        supportsTask(tools[index]?.name ?? "") ? { ...tool, execution: TASK_SUPPORT } : tool
      );
      this.#lists = lists;
    }
    return withTasks && !settings.synchronous ? this.#withTasks : this.#tools;
  }

  /**
   * The answer to a request, all tools on one page.
   * @throws ProtocolError -32602 for a cursor: none is ever given out
   */
  page(cursor: string | undefined, withTasks = false): Promise<Tool[]> {
    if (cursor === undefined) return this.all(withTasks);
    const message = `Invalid cursor ${shownValue(cursor)}: the list has one page`;
    return Promise.reject(new ProtocolError(ProtocolErrorCode.InvalidParams, message));
  }
}
