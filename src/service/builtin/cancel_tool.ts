/** `cancel` (B4): ends one operation and answers when its processes are gone. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Operation } from "../../operation/operation_record.ts";
import { type BuiltinTool, OPERATION_PARAMETER, unknownOperation } from "./builtin_tool.ts";
import type { BuiltinArguments } from "../builtin_parameters.ts";
import { closingLine } from "../result/closing_line.ts";
import { protectedMeta, protectedNote } from "../result/protected_note.ts";
import { errorResult, sandboxNotes, textResult } from "../result/result_text.ts";
import type { Service } from "../service.ts";

const DEFAULT_REASON = "Cancelled by the client";

export const CANCEL_TOOL: BuiltinTool = {
  name: "cancel",
  title: "Cancel an operation",
  describe: () => "Ends a running or queued operation with all its processes and answers when they are gone.",
  annotations: { idempotentHint: true, openWorldHint: false },
  parameters: [
    { ...OPERATION_PARAMETER, required: true },
    { name: "reason", kind: "text", description: "Shown with the result." },
  ],
  appendsFinished: true,
  call: cancelOperation,
};

async function cancelOperation(service: Service, args: BuiltinArguments): Promise<CallToolResult> {
  const id = args.text("operation_id") ?? "";
  const reason = args.text("reason");
  if (await service.checks?.end(id)) return textResult(`The check ${id} is ended`);
  const outcome = await service.registry.cancel(id, reason === undefined || reason === "" ? DEFAULT_REASON : reason);
  if (outcome.kind === "unknown") return errorResult(unknownOperation(service, id));
  if (outcome.kind === "already_ended") return describeOutcome(outcome.operation, "had ended already.");
  service.registry.markDelivered(id);
  return outcome.operation.state === "cancelled"
    ? describeOutcome(outcome.operation, "is cancelled, its processes are gone.")
    : describeOutcome(outcome.operation, "ended by itself.");
}

function describeOutcome(operation: Operation, what: string): CallToolResult {
  const line = `${operation.id} ${what} ${closingLine(operation, operation.output.totalBytes > 0)}`;
  const text = [line, ...sandboxNotes(operation), protectedNote(operation)].filter((part) => part !== "").join("\n");
  const meta = protectedMeta([operation]);
  return { ...textResult(text), ...Object.keys(meta).length === 0 ? {} : { _meta: meta } };
}
