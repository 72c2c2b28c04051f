import type { CallToolResult, ToolAnnotations } from "@modelcontextprotocol/server";
import type { BuiltinName } from "../../catalog/format/builtin_traits.ts";
import { shownValue } from "../../base/text.ts";
import type { Operation } from "../../operation/operation_record.ts";
import type { BuiltinArguments, Parameter } from "../builtin_parameters.ts";
import { type ListFacts, withListedNames } from "../result/listed_texts.ts";
import type { CallContext, Service } from "../service.ts";

/** One tool that always exists (B1). */
export interface BuiltinTool {
  readonly name: BuiltinName;
  readonly title: string;
  readonly describe: (facts: ListFacts) => string;
  /** The annotations that do not follow from `BuiltinTraits.readOnly`. */
  readonly annotations: Pick<ToolAnnotations, "idempotentHint" | "openWorldHint">;
  readonly parameters: readonly Parameter[];
  /** Whether its result is followed by a report of ended operations (X5c). */
  readonly appendsFinished: boolean;
  /** Does a call with checked arguments. */
  readonly call: (service: Service, args: BuiltinArguments, context: CallContext) => Promise<CallToolResult>;
}

/** The operation argument of `await`, `status` and `cancel`; clients use both names. */
export const OPERATION_PARAMETER: Parameter = {
  name: "operation_id",
  kind: "text",
  alias: "id",
  description: "As its call or `status` gave it.",
};

/** The filter of `await` and `status`. */
export const TOOLS_PARAMETER: Parameter = {
  name: "tools",
  kind: "text",
  description: 'Only of tools whose names begin so: "cargo,npm_run".',
};

/** Tests tool names against the comma-separated `prefixes`; undefined or empty: all pass. */
export function toolFilter(prefixes: string | undefined): (operation: Pick<Operation, "tool">) => boolean {
  const wanted = (prefixes ?? "").split(",").map((prefix) => prefix.trim()).filter((prefix) => prefix !== "");
  return ({ tool }) => wanted.length === 0 || wanted.some((prefix) => tool.startsWith(prefix));
}

/** The reason why nothing is listed: HTTP requests without a session cannot be attributed to a client. */
export const BY_ID_ONLY = "this connection has no session, so operations are found only by the id that the call " +
  "which started them returned.";

/** The result for an id that no kept operation has. */
export function unknownOperation(facts: Pick<ListFacts, "settings">, id: string): string {
  return `Operation ${shownValue(id)} is unknown: it never existed in this session, or its result is no longer kept. ` +
    withListedNames(facts, "`status` lists the kept ones.");
}
