/** `sandboxed_shell` (B5): any command line, with the same results, modes and limits as every other tool. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { SHELL_TOOL_NAME } from "../../catalog/format/builtin_traits.ts";
import type { MetaArguments } from "../../command/prepared_command.ts";
import type { BuiltinTool } from "./builtin_tool.ts";
import type { BuiltinArguments } from "../builtin_parameters.ts";
import { requestWork } from "../run/command_work.ts";
import { earlyAnswer, type ListFacts, namedScope } from "../result/listed_texts.ts";
import { shorten } from "../../base/visible_text.ts";
import { errorResult } from "../result/result_text.ts";
import { runOperation } from "../run/run_operation.ts";
import type { CallContext, Service } from "../service.ts";
import { SHELL_PARAMETERS, shellRequest } from "../run/shell_request.ts";

/** The rest of the description, after the sentence that clients show which cut it. */
const DETAILS =
  "stdout and stderr come as one text, with the exit code. A program left with `&` ends with its command; " +
  "a long-running one is a call of its own. There is no terminal; stdin is empty unless given.";

export const SHELL_TOOL: BuiltinTool = {
  name: SHELL_TOOL_NAME,
  title: "Run a shell command",
  describe: (facts) => `${firstSentence(facts)} ${DETAILS}`,
  annotations: { idempotentHint: false, openWorldHint: true },
  parameters: SHELL_PARAMETERS,
  appendsFinished: true,
  call: runShell,
};

/** The sentence for clients that show 150 characters: text of a fixed length comes before the scope, and no path is cut. */
function firstSentence(facts: ListFacts): string {
  const answer = earlyAnswer(facts);
  const elsewhere = facts.settings.sandbox.enforced
    ? "elsewhere is read-only or hidden"
    : "there is NO SANDBOX, it can reach everything this user can";
  return `Runs a shell command line${answer === undefined ? "" : ` (${answer})`} in ${
    namedScope(facts)
  }; ${elsewhere}.`;
}

async function runShell(service: Service, args: BuiltinArguments, context: CallContext): Promise<CallToolResult> {
  const request = await shellRequest(args, service.scope);
  if (!request.ok) return errorResult(request.problem);
  return runOperation(service, {
    tool: SHELL_TOOL_NAME,
    title: shorten(args.text("command") ?? ""),
    work: requestWork(service, request.value),
    timeoutSeconds: args.number("timeout_seconds") ?? service.settings.timeoutSeconds,
    // The kind `mode` of the table accepts nothing else.
    executionMode: args.text("execution_mode") as MetaArguments["executionMode"],
    leafSynchronous: undefined,
  }, context);
}
