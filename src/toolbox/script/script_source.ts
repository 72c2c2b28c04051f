/** `run_script`: a script calls the tools that a client may call, in one call of the client (K11). */
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import { didYouMean } from "../../base/suggest.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { CommandEnd } from "../../base/command/command_end.ts";
import { encodeText, shownValue } from "../../base/text.ts";
import { shorten, visibleText, writtenOut } from "../../base/visible_text.ts";
import { FIND_TOOLS_NAME, RUN_SCRIPT_NAME } from "../../catalog/format/builtin_traits.ts";
import type { StartChildServer } from "../../child_server/child_server.ts";
import { Turns } from "../../operation/concurrency.ts";
import type { Work, WorkControl } from "../../operation/operation.ts";
import { checkBuiltinArguments, type Parameter, schemaOf } from "../../service/builtin_parameters.ts";
import { calledName, listedName, type ListFacts } from "../../service/result/listed_texts.ts";
import { appendFinished } from "../../service/result/finished_operations.ts";
import { errorResult } from "../../service/result/result_text.ts";
import type { CallAudit } from "../../service/run/call_audit.ts";
import { runOperation } from "../../service/run/run_operation.ts";
import type { CallContext, Service, ToolCall, ToolSource, UnknownTool } from "../../service/service.ts";
import type { ScriptAnswer } from "./messages.ts";
import { runScript } from "./run_script.ts";
import { refused } from "./script_calls.ts";
import { askedInTurn } from "./script_client.ts";

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

/** Scripts that run at once: each may take the memory of its limit. */
const MOST_AT_ONCE = 4;
/** Characters of why a script failed. */
const LONGEST_PROBLEM = 2000;

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
  readonly #turns = new Turns(MOST_AT_ONCE);

  constructor(options: ScriptSourceOptions) {
    this.#options = options;
    this.#listed = [listedTool(options)];
  }

  list(): Promise<readonly Tool[]> {
    return Promise.resolve(this.#listed);
  }

  async call(service: Service, call: ToolCall, context: CallContext): Promise<Outcome<CallToolResult, UnknownTool>> {
    // A flow that a script calls would run scripts within scripts.
    if (call.name !== RUN_SCRIPT_NAME || context.ownToolsOnly === true) return failure({ known: [RUN_SCRIPT_NAME] });
    const checked = checkBuiltinArguments(call.name, PARAMETERS, call.args);
    if (!checked.ok) return success(errorResult(checked.problem));
    const code = checked.value.text("code") ?? "";
    const { client, task: _, onBackground: _none, ...kept } = context;
    const asked = client === undefined ? {} : { client: askedInTurn(client) };
    const made = { ...kept, ...asked, sendProgress: undefined, unhurried: true } as const;
    const work: Work = (control) =>
      this.#work(code, control, (call, signal) => this.#callTool(service, call, { ...made, signal }));
    const { timeoutSeconds } = service.settings;
    const unset = { executionMode: undefined, leafSynchronous: undefined };
    const job = { tool: RUN_SCRIPT_NAME, title: shorten(code), work, timeoutSeconds, turns: this.#turns, ...unset };
    return success(appendFinished(await runOperation(service, job, context), service, context));
  }

  async #work(
    code: string,
    control: WorkControl,
    call: (call: ToolCall, signal: AbortSignal) => Promise<ScriptAnswer>,
  ): Promise<CommandEnd> {
    const { audit, start } = this.#options;
    const { signal, operation } = control;
    const begun = await audit?.beginCall({ operation });
    if (begun?.ok === false) return { kind: "not_started", message: begun.problem, fault: "server" };
    const { value, problem, calls, received } = await runScript(code, {
      start,
      call: (name, args, signal) => call({ name, args }, signal),
      write: (text) => void control.write(encodeText(visibleText(text))),
      signal,
    });
    if (value !== undefined) await control.write(encodeText(`${writtenOut(value)}\n`));
    const outcome = signal.aborted ? "cancelled" : problem === undefined ? "completed" : "failed";
    await audit?.endCall({ operation }, outcome);
    const notes = [`[script: ${calls} ${calls === 1 ? "call" : "calls"}, ${received} characters of answers]`];
    if (problem === undefined) return { kind: "exited", code: 0, notes };
    return { kind: "not_started", message: shorten(problem, LONGEST_PROBLEM), notes };
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
      const answered = await source.call(waiting, { name: tool.name, args }, context);
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
