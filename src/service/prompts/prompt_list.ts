/** `prompts/list`: the prompts of every source, in pages. */
import type { ListPromptsResult, Prompt } from "@modelcontextprotocol/server";
import { RequestError, RequestErrorCode } from "../../wire/request_error.ts";
import type { Logger } from "../../base/log.ts";
import { shownValue } from "../../base/text.ts";
import { mergedList } from "../../base/lazy.ts";
import type { PromptSource } from "./prompt_source.ts";

export interface PromptListParts {
  /** In the order in which prompts are listed. */
  readonly prompts: readonly PromptSource[];
  readonly log: Logger;
}

/** Prompts on one page. */
const PAGE_SIZE = 100;

/** Joins the lists of all sources; keeps the last result, because a client reads it page by page. */
export class PromptList {
  readonly #all: () => Promise<readonly Prompt[]>;

  constructor({ prompts, log }: PromptListParts) {
    this.#all = mergedList(prompts, (all, leftOut) => {
      for (const { name } of leftOut) log.warn("Prompt left out: another source has its name", { name });
      return all;
    });
  }

  /**
   * One page; the cursor names the last prompt of the page before.
   * @throws RequestError -32602 for a cursor that names no prompt
   */
  async page(cursor: string | undefined): Promise<ListPromptsResult> {
    const all = await this.#all();
    const before = cursor === undefined ? -1 : all.findIndex(({ name }) => name === cursor);
    if (cursor !== undefined && before === -1) {
      const message = `Invalid cursor ${shownValue(cursor)}: the list may have changed; request it without a cursor`;
      throw new RequestError(RequestErrorCode.InvalidParams, message);
    }
    const prompts = all.slice(before + 1, before + 1 + PAGE_SIZE);
    const last = prompts.at(-1);
    return { prompts, ...last !== undefined && last !== all.at(-1) && { nextCursor: last.name } };
  }
}
