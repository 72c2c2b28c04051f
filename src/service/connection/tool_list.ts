/** `tools/list`: the tools of every source as one client sees them. */
import type { Tool } from "@modelcontextprotocol/server";
import { RequestError, RequestErrorCode } from "../../wire/request_error.ts";
import { supportsTask } from "../../catalog/format/builtin_traits.ts";
import { shownValue } from "../../base/text.ts";
import { listedName } from "../result/listed_texts.ts";
import { mergedList } from "../../base/lazy.ts";
import type { Service } from "../service.ts";

const TASK_SUPPORT = { taskSupport: "optional" } as const;

/** Joins the lists of all sources; keeps the last result, because most clients ask more than once. */
export class ToolList {
  readonly #merged: () => Promise<{ readonly plain: Tool[]; readonly withTasks: Tool[] }>;

  constructor({ sources, settings, log }: Pick<Service, "sources" | "settings" | "log">) {
    this.#merged = mergedList(sources, (tools, leftOut) => {
      for (const { name } of leftOut) log.warn("Tool left out: another source has its name", { name });
      const plain = tools.map((tool) => ({ ...tool, name: listedName({ settings }, tool.name) }));
      const withTasks = plain.map((tool, index) =>
        !settings.synchronous && supportsTask(tools[index]?.name ?? "") ? { ...tool, execution: TASK_SUPPORT } : tool
      );
      return { plain, withTasks };
    });
  }

  /**
   * All tools, source by source; a name that an earlier source has is left out, with a warning in the log. `withTasks`: says which tools may be
   * called as tasks, for the one version that has a word for it.
   */
  async all(withTasks = false): Promise<Tool[]> {
    const merged = await this.#merged();
    return withTasks ? merged.withTasks : merged.plain;
  }

  /**
   * The answer to a request, all tools on one page.
   * @throws RequestError -32602 for a cursor: none is ever given out
   */
  page(cursor: string | undefined, withTasks = false): Promise<Tool[]> {
    if (cursor === undefined) return this.all(withTasks);
    const message = `Invalid cursor ${shownValue(cursor)}: the list has one page`;
    return Promise.reject(new RequestError(RequestErrorCode.InvalidParams, message));
  }
}
