/** `rules` (K10): the tools for rules from a terminal, with exit codes for a build. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { UsageError } from "../../../base/errors.ts";
import { didYouMean } from "../../../base/suggest.ts";
import { RULE_ACTIONS } from "../../../settings/flags/actions.ts";
import { RULES_META_KEY } from "../../../toolbox/frame/messages.ts";
import { member } from "../../../wire/json_value.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { call } from "../call/call.ts";

/** A batch of reviews is for an agent, so a flag must ask for it at a terminal. */
const CHECK: readonly string[] = ["rules_check", "--review=none"];
const FAILED = 2;

/** Checks or lists; resolves with the exit code. */
export async function rules(context: CommandContext): Promise<number> {
  const [action = "check", ...words] = context.operands;
  if (action === "list") return await call({ ...context, operands: ["rules_list", ...words] });
  if (action !== "check") {
    const known = `expected one of ${RULE_ACTIONS.join(", ")}${didYouMean(action, RULE_ACTIONS)}`;
    throw new UsageError(`Unknown action "${action}": ${known}`);
  }
  return await call({ ...context, operands: [...CHECK, ...words] }, { rest: "file_paths", exitCode });
}

function exitCode({ isError, _meta }: CallToolResult): number {
  if (isError === true) return FAILED;
  const counts = _meta?.[RULES_META_KEY];
  if (Number(member(counts, "error")) > 0) return 1;
  return Number(member(counts, "failed")) > 0 ? FAILED : 0;
}
