/**
 * The conductor of a tool call: look up → check the arguments → working directory → prepare → start → answer.
 * Whatever is wrong with the call is a result with `isError`, so that the model can correct it; only a tool that does
 * not exist is a protocol error.
 */
import { shownValue } from "../../base/text.ts";
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Outcome } from "../../base/outcome.ts";
import { failure, success } from "../../base/outcome.ts";
import { didYouMean } from "../../base/suggest.ts";
import type { Catalog, Leaf } from "../../catalog/model/leaf.ts";
import { resolveCall } from "../../catalog/model/resolve.ts";
import { checkBuiltinArguments } from "../builtin_parameters.ts";
import type { BuiltinTool } from "../builtin/builtin_tool.ts";
import { BUILTIN_TOOLS } from "../builtin/registry.ts";
import { commandWork } from "../run/command_work.ts";
import { listedName } from "../result/listed_texts.ts";
import { chooseMode } from "../run/mode.ts";
import { appendNews } from "../result/piggyback.ts";
import { checkCall, type CheckedCall, prepareCall, titleOf } from "../run/prepare_call.ts";
import { shorten } from "../../base/visible_text.ts";
import { errorResult } from "../result/result_text.ts";
import { type Job, runOperation } from "../run/run_operation.ts";
import { withRetries } from "../run/retries.ts";
import { sequenceWork } from "../run/sequence.ts";
import type { CallContext, Service } from "../service.ts";

/** What the client asked for. */
export interface ToolCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * Does one `tools/call`.
 * @throws ProtocolError -32602 for a tool that does not exist
 */
export async function callTool(service: Service, call: ToolCall, context: CallContext): Promise<CallToolResult> {
  const builtin = BUILTIN_TOOLS.get(call.name);
  if (builtin !== undefined) return await callBuiltin(service, { tool: builtin, args: call.args }, context);
  const result = await callLeaf(service, call, context);
  return withNews(service, result, context);
}

async function callBuiltin(
  service: Service,
  { tool, args }: { readonly tool: BuiltinTool; readonly args: ToolCall["args"] },
  context: CallContext,
): Promise<CallToolResult> {
  const checked = checkBuiltinArguments(tool.name, tool.parameters, args);
  if (!checked.ok) return errorResult(checked.problem);
  const result = await tool.call(service, checked.value, context);
  return tool.tellsNews ? withNews(service, result, context) : result;
}

async function callLeaf(service: Service, call: ToolCall, context: CallContext): Promise<CallToolResult> {
  const catalog = await service.catalog();
  const resolved = resolveCall(catalog, call.name, call.args);
  if (!resolved.ok) {
    switch (resolved.problem.kind) {
      case "unknown_tool":
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTool(service, call.name, catalog));
      case "unknown_subcommand":
        return errorResult(resolved.problem.message);
    }
  }
  const { leaf, args } = resolved.value;
  const checked = await checkCall(leaf, args, service.scope);
  if (!checked.ok) return errorResult(checked.problem);
  const job = await makeJob(service, catalog, { leaf, call: checked.value });
  return job.ok ? runOperation(service, job.value, context) : errorResult(job.problem);
}

async function makeJob(
  service: Service,
  catalog: Catalog,
  { leaf, call }: { readonly leaf: Leaf; readonly call: CheckedCall },
): Promise<Outcome<Job>> {
  const { settings } = service;
  const { meta } = call.checked;
  const rest = {
    tool: leaf.name,
    exclusive: leaf.exclusive === true ? `${leaf.tool} ${call.directory}` : undefined,
    timeoutSeconds: meta.timeoutSeconds ?? leaf.timeoutSeconds ?? settings.defaultTimeoutSeconds,
    mode: chooseMode({
      forced: settings.synchronous,
      executionMode: meta.executionMode,
      leafSynchronous: leaf.synchronous,
    }),
  };
  if (leaf.sequence.length > 0) {
    const work = await sequenceWork(service, catalog, { leaf, directory: call.directory });
    if (!work.ok) return work;
    return success({ ...rest, work: work.value, title: shorten(`sequence of ${leaf.sequence.length} steps`) });
  }
  const prepared = await prepareCall(leaf, call, service.scope);
  if (!prepared.ok) return failure(prepared.problem);
  return success({
    ...rest,
    work: withRetries(commandWork(service, prepared.value, call.directory), leaf.retry),
    title: titleOf(prepared.value),
  });
}

/** A cancelled request gets no answer, so it may not carry news. */
function withNews(service: Service, result: CallToolResult, context: CallContext): CallToolResult {
  return context.signal.aborted ? result : appendNews(result, service, context);
}

function unknownTool(service: Service, name: string, catalog: Catalog): string {
  const missing = catalog.unavailable?.find(({ names }) => names.includes(name));
  if (missing !== undefined) {
    const advice = missing.installInstructions === "" ? "" : `. ${missing.installInstructions}`;
    return `Tool "${name}" is not available: ${missing.reason}${advice}`;
  }
  const known = [...BUILTIN_TOOLS.keys(), ...catalog.byName.keys()].map((one) => listedName(service, one));
  const guess = didYouMean(listedName(service, name), known);
  return `Unknown tool ${shownValue(name)}${guess || "; `tools/list` names the tools there are"}`;
}
