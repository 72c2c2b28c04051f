/** `cancel` (B4): ends one operation and answers when its processes are gone. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Operation } from "../operation/operation_record.ts";
import { type BuiltinTool, OPERATION_PARAMETER, unknownOperation } from "./builtin_tool.ts";
import type { BuiltinArguments } from "./builtin_parameters.ts";
import { statusLine, textResult } from "./results.ts";
import type { Service } from "./service.ts";

const DEFAULT_REASON = "Cancelled by the client";

export const CANCEL_TOOL: BuiltinTool = {
  name: "cancel",
  title: "Cancel an operation",
  describe: () => "Ends a running or queued operation with all its processes and answers when they are gone.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  parameters: [
    { ...OPERATION_PARAMETER, required: true },
    { name: "reason", kind: "text", description: "Shown with the result." },
  ],
  outputSchema: {
    type: "object",
    properties: {
      operation_id: { type: "string" },
      outcome: { type: "string", enum: ["cancelled", "already_ended", "unknown"] },
      status: { type: "string" },
      message: { type: "string" },
    },
    required: ["operation_id", "outcome", "message"],
    additionalProperties: false,
  },
  // Clients that prefer structured content drop the text, and the news with it.
  tellsNews: false,
  call: cancelOperation,
};

async function cancelOperation(service: Service, args: BuiltinArguments): Promise<CallToolResult> {
  const id = args.text("operation_id") ?? "";
  const reason = args.text("reason");
  if (await service.checks?.end(id)) {
    return structured({ operation_id: id, outcome: "cancelled", message: `The check ${id} is ended` });
  }
  const outcome = await service.registry.cancel(id, reason === undefined || reason === "" ? DEFAULT_REASON : reason);
  switch (outcome.kind) {
    case "unknown":
      return structured({ operation_id: id, outcome: "unknown", message: unknownOperation(id) });
    case "already_ended":
      return ended(outcome.operation, "already_ended", "had already ended");
    case "ended":
      service.registry.markCollected(id);
      return outcome.operation.state === "cancelled"
        ? ended(outcome.operation, "cancelled", "is cancelled, its processes are gone")
        : ended(outcome.operation, "already_ended", "was ending by itself");
  }
}

function ended(operation: Operation, outcome: string, what: string): CallToolResult {
  const message = `Operation ${operation.id} (${operation.tool}) ${what}: ${statusLine(operation)}`;
  return structured({ operation_id: operation.id, outcome, status: operation.state, message });
}

function structured(facts: { readonly message: string; readonly [name: string]: string }): CallToolResult {
  return { ...textResult(facts.message), structuredContent: { ...facts } };
}
