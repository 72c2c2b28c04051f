/** A request of a client to a server other than a call of a tool (O2). */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { visibleStart } from "../../base/visible_text.ts";
import type { LinkRequest } from "../link/link.ts";
import type { UpstreamServer } from "../server/upstream_server.ts";

/** Why a server gives no result; the message begins with its name. */
export interface Refused {
  readonly code: number;
  readonly message: string;
}

const LONGEST_REFUSAL = 4_096;

/** The result, connecting first where that is needed. `problem`: why nothing is requested; undefined: it is. */
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
  return failure({ code, message: `${server.spec.name}: ${visibleStart(message, LONGEST_REFUSAL)}` });
}
