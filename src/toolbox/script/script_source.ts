/** `run_script`: a script calls the tools that a client may call, in one call of the client (K11). */
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import { didYouMean } from "../../base/suggest.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { shownValue } from "../../base/text.ts";
import { visibleText } from "../../base/visible_text.ts";
import { FIND_TOOLS_NAME, RUN_SCRIPT_NAME } from "../../catalog/format/builtin_traits.ts";
import type { StartChildServer } from "../../child_server/child_server.ts";
import { shortId } from "../../operation/operation_id.ts";
import { checkBuiltinArguments, type Parameter, schemaOf } from "../../service/builtin_parameters.ts";
import { calledName, listedName, type ListFacts } from "../../service/result/listed_texts.ts";
import { errorResult, joinLines, textResult } from "../../service/result/result_text.ts";
import type { CallAudit } from "../../service/run/call_audit.ts";
import type { CallContext, Service, ToolCall, ToolSource, UnknownTool } from "../../service/service.ts";
import type { ScriptAnswer } from "./messages.ts";
import { refused, runScript, type ScriptEnd } from "./run_script.ts";

export interface ScriptSourceOptions {
  /** Sources whose tools a script may call; the first that lists a name answers. */
  readonly callable: readonly ToolSource[];
  /** `read`: only tools that say that they are read-only. */
  readonly may: CodeMode;
  readonly start: StartChildServer;
  readonly facts: ListFacts;
  /** Undefined: no log is kept. */
  readonly audit: CallAudit | undefined;
}

export type CodeMode = "read" | "all";

const PARAMETERS: readonly Parameter[] = [
  {
    name: "code",
    kind: "input",
    description: "JavaScript or TypeScript: the body of an async function.",
    required: true,
  },
];

export class ScriptSource implements ToolSource {
  readonly #options: ScriptSourceOptions;
  readonly #listed: readonly Tool[];

  constructor(options: ScriptSourceOptions) {
    this.#options = options;
    this.#listed = [listedTool(options)];
  }

  list(): Promise<readonly Tool[]> {
    return Promise.resolve(this.#listed);
  }

  async call(service: Service, call: ToolCall, context: CallContext): Promise<Outcome<CallToolResult, UnknownTool>> {
    if (call.name !== RUN_SCRIPT_NAME) return failure({ known: [RUN_SCRIPT_NAME] });
    const checked = checkBuiltinArguments(call.name, PARAMETERS, call.args);
    if (!checked.ok) return success(errorResult(checked.problem));
    const { audit, start } = this.#options;
    const audited = { operation: { id: shortId(), tool: RUN_SCRIPT_NAME } };
    const begun = await audit?.beginCall(audited);
    if (begun?.ok === false) return success(errorResult(begun.problem));
    const end = await runScript(checked.value.text("code") ?? "", {
      start,
      call: (name, args, signal) => this.#callTool(service, { name, args }, { ...context, signal }),
      signal: context.signal,
      timeoutSeconds: service.settings.timeoutSeconds,
    });
    const failed = context.signal.aborted ? "cancelled" : "failed";
    await audit?.endCall(audited, end.problem === undefined ? "completed" : failed);
    return success(resultOf(end));
  }

  async #callTool(service: Service, { name, args }: ToolCall, context: CallContext): Promise<ScriptAnswer> {
    const known: string[] = [];
    const wanted = calledName(service, name);
    for (const source of this.#options.callable) {
      const listed = await source.list();
      const tool = listed.find((one) => one.name === name) ?? listed.find((one) => one.name === wanted);
      known.push(...listed.map((one) => one.name));
      if (tool === undefined) continue;
      if (this.#options.may !== "all" && tool.annotations?.readOnlyHint !== true) {
        return refused(`A script may not call "${tool.name}": it is not read-only, and --code-mode all was not given`);
      }
      const waiting: Service = { ...service, settings: { ...service.settings, synchronous: true } };
      const { task: _, onBackground: _none, ...kept } = context;
      const own = { ...kept, sendProgress: undefined, unhurried: true } as const;
      const answered = await source.call(waiting, { name: tool.name, args }, own);
      if (answered.ok) return answerOf(answered.value);
      return refused(`Tool "${tool.name}" is not available: ${answered.problem.unavailable ?? "it is gone"}`);
    }
    return refused(`Unknown tool ${shownValue(name)}${didYouMean(wanted, known)}`);
  }
}

function answerOf({ content, isError, structuredContent }: CallToolResult): ScriptAnswer {
  return {
    text: content.map((part) => part.type === "text" ? part.text : `[${part.type}]`).join("\n"),
    isError: isError === true,
    ...structuredContent !== undefined && { structured: structuredContent },
  };
}

function resultOf({ output, value, problem, calls, received }: ScriptEnd): CallToolResult {
  const facts = `[script: ${calls} calls, ${received} characters of answers]`;
  const text = joinLines(visibleText(output.trimEnd()), value ?? "", problem ?? "", facts);
  return problem === undefined ? textResult(text) : errorResult(text);
}

function listedTool({ facts, may }: Pick<ScriptSourceOptions, "facts" | "may">): Tool {
  const find = listedName(facts, FIND_TOOLS_NAME);
  const which = may === "all" ? "any tool" : "any read-only tool";
  return {
    name: RUN_SCRIPT_NAME,
    title: "Run a script",
    description: `Runs a script that calls ${which} by \`await tools.NAME(args)\`, which gives ` +
      `{text, isError, structured?}; \`${find}\` shows names and types. The result is the console output and the ` +
      "returned value. The script has no files, network or imports.",
    inputSchema: { ...schemaOf(PARAMETERS) } as Tool["inputSchema"],
    annotations: {
      readOnlyHint: false,
      destructiveHint: may === "all",
      idempotentHint: false,
      openWorldHint: true,
    },
  };
}
