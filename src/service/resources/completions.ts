/** Completions (C5): arguments of prompts; ids of operations, newest first, and names of tool files. */
import { shownValue } from "../../base/text.ts";
import type { Server } from "@modelcontextprotocol/server";
import { RequestError, RequestErrorCode } from "../../wire/request_error.ts";
import { matching, withinLimit } from "../prompts/prompt_source.ts";
import { completeArgument } from "../prompts/serve_prompts.ts";
import type { Service } from "../service.ts";
import { answerOf, sourceOf } from "./resources.ts";
import { TEMPLATES } from "../result/resource_uri.ts";

/** Answers `completion/complete`. */
export function serveCompletions(server: Server, service: Service): void {
  server.setRequestHandler(
    "completion/complete",
    async ({ params: { ref, argument, context } }, { mcpReq: { signal } }) => {
      const source = ref.type === "ref/resource" ? sourceOf(service, ref.uri) : undefined;
      const asked = { argument: argument.name, typed: argument.value, args: context?.arguments ?? {} };
      if (ref.type === "ref/resource" && source !== undefined) {
        const answered = await source.complete({ name: ref.uri, ...asked }, signal);
        return { completion: withinLimit(answerOf(ref.uri, answered)) };
      }
      if (ref.type === "ref/resource") {
        return { completion: matching(await candidates(service, ref.uri, argument.name), argument.value) };
      }
      return { completion: withinLimit(await completeArgument(service, { name: ref.name, ...asked }, { signal })) };
    },
  );
}

async function candidates(service: Service, template: string, argument: string): Promise<readonly string[]> {
  if (template === TEMPLATES.tool) {
    return argument === "name" ? (await service.catalog()).tools.map(({ name }) => name) : [];
  }
  if (template !== TEMPLATES.operation && template !== TEMPLATES.output) {
    throw new RequestError(RequestErrorCode.InvalidParams, `Unknown resource template ${shownValue(template)}`);
  }
  return argument === "operation_id" ? service.registry.list().toReversed().map(({ id }) => id) : [];
}
