/** What a call tells its client before and after its answer, for a client that gave a token. */
import type { ProgressToken } from "@modelcontextprotocol/server";
import type { Operation } from "../../operation/operation_record.ts";
import { OPERATION_META_KEY, operationMeta } from "../result/closing_line.ts";
import { finalText, styleOf } from "../result/result_text.ts";
import type { ConnectionParts } from "../notify/notifications.ts";
import type { CallContext } from "../service.ts";

/** Parameters of one progress message, without the token. */
export interface ProgressFacts {
  readonly progress: number;
  readonly message?: string;
  readonly total?: number;
}

/** The members of a call's context for `token`; `send` sends one message of it. */
export function callProgress(
  parts: Pick<ConnectionParts, "service" | "revision" | "outgoing" | "use">,
  token: ProgressToken,
  send: (facts: ProgressFacts) => Promise<void>,
): Pick<CallContext, "sendProgress" | "onBackground"> {
  const { service, revision } = parts;
  let last = 0;
  return {
    sendProgress: async (progress, message, total) => {
      last = progress;
      await send({ progress, ...message !== undefined && { message }, ...total !== undefined && { total } });
    },
    ...revision === "2025-11-25" && service.settings.pushResults && {
      onBackground: (operation) => pushEnd(parts, operation, { token, next: () => last + 1 }),
    },
  };
}

/**
 * Sends the result as a last progress message, after the answer, for `--push-results` and a client that gave a token.
 * In the specification progress ends with the answer; some clients of older servers expect this message.
 */
function pushEnd(
  { service, outgoing, use }: Pick<ConnectionParts, "service" | "outgoing" | "use">,
  operation: Operation,
  { token, next }: { readonly token: ProgressToken; readonly next: () => number },
): void {
  void operation.ended.then(() => {
    const { text, view } = finalText(operation, styleOf(service, { readsResources: use.read }), "listed");
    const progress = next();
    outgoing.notifyLater("notifications/progress", {
      progressToken: token,
      progress,
      total: progress,
      message: text,
      _meta: { [OPERATION_META_KEY]: operationMeta(operation, view) },
    });
  });
}
