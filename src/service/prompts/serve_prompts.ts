/** `prompts/get` (Q2); the first source that knows a prompt answers for it. */
import type { GetPromptResult, ListPromptsResult, Prompt, Server } from "@modelcontextprotocol/server";
import { RequestError, RequestErrorCode } from "../../wire/request_error.ts";
import { failure, type Outcome } from "../../base/outcome.ts";
import { didYouMean } from "../../base/suggest.ts";
import { shownValue } from "../../base/text.ts";
import type {
  ArgumentRequest,
  Completion,
  PromptContext,
  PromptRefusal,
  PromptRequest,
  PromptSource,
} from "./prompt_source.ts";
import type { Logger } from "../../base/log.ts";
import { mergedList } from "../../base/lazy.ts";
import { pageAfter } from "../../wire/pages.ts";

/** Answers it. */
export function servePrompts(server: Server, service: PromptListParts): void {
  server.setRequestHandler(
    "prompts/get",
    ({ params: { name, arguments: args = {} } }, { mcpReq: { signal } }) =>
      getPrompt(service, { name, args }, { signal }),
  );
}

/** One prompt with its arguments applied. @throws RequestError -32602 if it is unknown or refused */
export async function getPrompt(
  { prompts }: Pick<PromptListParts, "prompts">,
  request: PromptRequest,
  context: PromptContext,
): Promise<GetPromptResult> {
  return answerOf(request.name, await askSources(prompts, (source) => source.get(request, context)));
}

/** Values for an argument of a prompt. @throws RequestError -32602 if it is unknown or refused */
export async function completeArgument(
  { prompts }: Pick<PromptListParts, "prompts">,
  request: ArgumentRequest,
  context: PromptContext,
): Promise<Completion> {
  return answerOf(request.name, await askSources(prompts, (source) => source.complete(request, context)));
}

/** The answer of the first source that knows the prompt; `known` joins the names of all. */
async function askSources<Answer>(
  sources: readonly PromptSource[],
  ask: (source: PromptSource) => Promise<Outcome<Answer, PromptRefusal>>,
): Promise<Outcome<Answer, PromptRefusal>> {
  const known: string[] = [];
  for (const source of sources) {
    const answered = await ask(source);
    if (answered.ok || answered.problem.kind === "refused") return answered;
    known.push(...answered.problem.known);
  }
  return failure({ kind: "unknown", known });
}

function answerOf<Answer>(name: string, answered: Outcome<Answer, PromptRefusal>): Answer {
  if (answered.ok) return answered.value;
  const { problem } = answered;
  const message = problem.kind === "refused"
    ? problem.message
    : `Unknown prompt ${shownValue(name)}${didYouMean(name, problem.known) || "; `prompts/list` names all prompts"}`;
  throw new RequestError(RequestErrorCode.InvalidParams, message);
}

export interface PromptListParts {
  /** In the order in which prompts are listed. */
  readonly prompts: readonly PromptSource[];
  readonly log: Logger;
}

/** Prompts on one page. */
const PAGE_SIZE = 100;

/** Joins the lists of all sources and caches the result, because a client reads it page by page. */
export class PromptList {
  readonly #all: () => Promise<readonly Prompt[]>;

  constructor({ prompts, log }: PromptListParts) {
    this.#all = mergedList(prompts, (all, leftOut) => {
      for (const { name } of leftOut) log.warn("Prompt left out: another source has its name", { name });
      return all;
    });
  }

  /** One page after the prompt that the cursor names. @throws RequestError -32602 if it names none */
  async page(cursor: string | undefined): Promise<ListPromptsResult> {
    const all = await this.#all();
    const { items, ...next } = pageAfter(cursor, { all, size: PAGE_SIZE, keyOf: ({ name }) => name });
    return { prompts: items, ...next };
  }
}
