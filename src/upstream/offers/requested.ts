/** A request of a client to a server other than a call of a tool (O2). */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { visibleText } from "../../base/visible_text.ts";
import { shown } from "../definitions/definition.ts";
import type { LinkRequest } from "../link/link.ts";
import type { UpstreamServer } from "../server/upstream_server.ts";
import type { Completion } from "../../service/prompts/prompt_source.ts";
import { member } from "../../wire/json_value.ts";

/** Why a server gives no result; the message begins with its name. */
export interface Refused {
  readonly code: number;
  readonly message: string;
}

/** The result; connects first if needed. `problem`: why nothing is requested; undefined: it is. */
export async function requested(
  server: UpstreamServer,
  { method, params, signal }: Pick<LinkRequest, "method" | "params"> & { readonly signal: AbortSignal },
  problem?: string,
): Promise<Outcome<Readonly<Record<string, unknown>>, Refused>> {
  if (problem !== undefined) return failure({ code: 0, message: `${server.spec.name}: ${problem}` });
  const { answer } = await server.call({
    request: { method, params, signal },
    client: undefined,
    problem: () => undefined,
  });
  if ("result" in answer) return success(answer.result);
  const { code, message } = answer.error;
  return failure({ code, message: `${server.spec.name}: ${shown(message)}` });
}

/** The values of a server's answer to `completion/complete`; values that are not text are dropped. */
export function completionOf(result: unknown): Completion {
  const completion = member(result, "completion");
  const [values, total, hasMore] = ["values", "total", "hasMore"].map((key) => member(completion, key));
  const texts = (Array.isArray(values) ? values : []).filter((value) => typeof value === "string");
  return {
    values: texts.map(visibleText),
    ...typeof total === "number" && { total },
    ...typeof hasMore === "boolean" && { hasMore },
  };
}
