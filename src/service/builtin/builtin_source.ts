/** The first tool source: built-in tools, which always exist and take precedence over tool files (B1). */
import type { Tool } from "@modelcontextprotocol/server";
import { lazy } from "../../base/lazy.ts";
import { failure, success } from "../../base/outcome.ts";
import { type BuiltinName, builtinTraits } from "../../catalog/format/builtin_traits.ts";
import { checkBuiltinArguments, type Parameter, schemaOf } from "../builtin_parameters.ts";
import { type ListFacts, withListedNames } from "../result/listed_texts.ts";
import { appendFinished } from "../result/finished_operations.ts";
import { errorResult } from "../result/result_text.ts";
import type { ToolSource } from "../service.ts";
import { AWAIT_TOOL } from "./await_tool.ts";
import type { BuiltinTool } from "./builtin_tool.ts";
import { CANCEL_TOOL } from "./cancel_tool.ts";
import { SEND_TOOL } from "./send_tool.ts";
import { SHELL_TOOL } from "./shell_tool.ts";
import { STATUS_TOOL } from "./status_tool.ts";

/** One tool for each row of the built-in traits, in the order in which they are listed. */
const ROWS: Readonly<Record<BuiltinName, BuiltinTool>> = {
  await: AWAIT_TOOL,
  cancel: CANCEL_TOOL,
  sandboxed_shell: SHELL_TOOL,
  send: SEND_TOOL,
  status: STATUS_TOOL,
};

const TOOLS: ReadonlyMap<string, BuiltinTool> = new Map(Object.entries(ROWS));

/** The built-in tools as a server with these facts lists them. */
export function builtinSource(facts: ListFacts): ToolSource {
  const offered = (tool: BuiltinTool): BuiltinTool => {
    const isOffered = ({ previews }: Parameter) => previews === undefined || facts.settings.preview?.isOn === true;
    return tool.parameters.every(isOffered) ? tool : { ...tool, parameters: tool.parameters.filter(isOffered) };
  };
  const listed = lazy(() => [...TOOLS.values()].map((tool) => listedTool(offered(tool), facts)));
  return {
    list: () => Promise.resolve(listed()),
    async call(service, { name, args }, context) {
      const tool = TOOLS.get(name);
      if (tool === undefined) return failure({ known: TOOLS.keys() });
      const checked = checkBuiltinArguments(name, offered(tool).parameters, args);
      if (!checked.ok) return success(errorResult(checked.problem));
      const result = await tool.call(service, checked.value, context);
      return success(tool.appendsFinished ? appendFinished(result, service, context) : result);
    },
  };
}

function listedTool({ name, title, describe, annotations, parameters }: BuiltinTool, facts: ListFacts): Tool {
  const { readOnly } = builtinTraits(name);
  return {
    name,
    title,
    description: describe(facts),
    // The schema is JSON, although the type of its members is `unknown`.
    inputSchema: { ...schemaOf(parameters.map((one) => named(one, facts))) } as Tool["inputSchema"],
    annotations: readOnly
      ? { readOnlyHint: true, openWorldHint: annotations.openWorldHint }
      : { destructiveHint: true, ...annotations },
  };
}

function named(parameter: Parameter, facts: ListFacts): Parameter {
  const { description } = parameter;
  return description === undefined ? parameter : { ...parameter, description: withListedNames(facts, description) };
}
