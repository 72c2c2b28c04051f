/** `--lean`: two fixed tools replace all others, chosen at the start, because 2026-07-28 lists cannot change. */
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import { didYouMean } from "../../base/suggest.ts";
import { lazy, mergedList } from "../../base/lazy.ts";
import { type Outcome, success } from "../../base/outcome.ts";
import { shownValue } from "../../base/text.ts";
import { CALL_TOOL_NAME, FIND_TOOLS_NAME } from "../../catalog/format/builtin_traits.ts";
import { type BuiltinArguments, checkBuiltinArguments, type Parameter } from "../builtin_parameters.ts";
import { askSources } from "../call/call_tool.ts";
import { appendFinished } from "../result/finished_operations.ts";
import { calledName, listedName, type ListFacts } from "../result/listed_texts.ts";
import { errorResult, joinLines, textResult } from "../result/result_text.ts";
import type { ClientOffers } from "../questions/question.ts";
import type { CallContext, Service, ToolCall, ToolSource, UnknownTool } from "../service.ts";
import {
  argumentsText,
  briefText,
  CALL_PARAMETERS,
  FIND_PARAMETERS,
  leanTools,
  schemaText,
  wholeText,
} from "./lean_tools.ts";
import { typeText } from "./type_text.ts";
import { ToolIndex } from "./tool_index.ts";

export interface LeanSourceOptions {
  /** Sources whose tools are found and called but not listed; the first that knows a name answers. */
  readonly hidden: readonly ToolSource[];
  /** The origin of the tools, for the description. */
  readonly origins: readonly string[];
  readonly facts: ListFacts;
  /** Which tools scripts may call, whose types are then shown (K11); absent: no scripts run. */
  readonly scripts?: "read" | "all";
}

const DEFAULT_LIMIT = 5;
/** How many of the best tools are shown with their schema, and the maximum characters of these schemas together. */
const WITH_SCHEMA = 3;
const SCHEMA_LENGTH = 2_000;

const PARAMETERS: ReadonlyMap<string, readonly Parameter[]> = new Map([
  [FIND_TOOLS_NAME, FIND_PARAMETERS],
  [CALL_TOOL_NAME, CALL_PARAMETERS],
]);

export class LeanSource implements ToolSource {
  readonly #options: LeanSourceOptions;
  readonly #listed: () => readonly Tool[];
  readonly #hidden: () => Promise<{ readonly tools: readonly Tool[]; readonly index: ToolIndex }>;

  constructor(options: LeanSourceOptions) {
    this.#options = options;
    this.#listed = lazy(() => leanTools(options.facts, options.origins));
    this.#hidden = mergedList(options.hidden, (tools) => ({ tools, index: new ToolIndex(tools) }));
  }

  noteOffers(offers: ClientOffers): void {
    for (const source of this.#options.hidden) source.noteOffers?.(offers);
  }

  list(): Promise<readonly Tool[]> {
    return Promise.resolve(this.#listed());
  }

  /** A hidden tool can also be called directly, because a client may know its name from elsewhere. */
  async call(service: Service, call: ToolCall, context: CallContext): Promise<Outcome<CallToolResult, UnknownTool>> {
    const parameters = PARAMETERS.get(call.name);
    if (parameters === undefined) return await askSources(this.#options.hidden, service, call, context);
    const checked = checkBuiltinArguments(call.name, parameters, call.args);
    const finished = (result: CallToolResult) => success(appendFinished(result, service, context));
    if (!checked.ok) return finished(errorResult(checked.problem));
    if (call.name === FIND_TOOLS_NAME) {
      return finished(textResult(joinLines(await this.#find(service, checked.value), this.#unknownServers(service))));
    }
    return success(await this.#callHidden(service, checked.value, context));
  }

  /** Descriptions of the hidden sources. */
  async status(): Promise<readonly string[]> {
    const lines = await Promise.all(this.#options.hidden.map((source) => source.status?.() ?? []));
    return lines.flat();
  }

  async #callHidden(service: Service, wanted: BuiltinArguments, context: CallContext): Promise<CallToolResult> {
    const given = wanted.text("name") ?? "";
    const args = wanted.object("arguments");
    const answered = await askSources(this.#options.hidden, service, { name: given, args }, context);
    if (answered.ok) return answered.value;
    // Found names lack the prefix, but a model may add it.
    const name = calledName(service, given);
    const again = name === given ? answered : await askSources(this.#options.hidden, service, { name, args }, context);
    if (again.ok) return again.value;
    return appendFinished(errorResult(await this.#unknown(service, name, again.problem)), service, context);
  }

  async #find(service: Service, args: BuiltinArguments): Promise<string> {
    const { tools, index } = await this.#hidden();
    const query = args.text("query")?.trim() ?? "";
    const limit = args.number("limit");
    const names = tools.map(({ name }) => name);
    if (query === "") return withMore([names.slice(0, limit).join(", ")], names.length - (limit ?? names.length));
    const called = query.split(/[\s,]+/).map((word) => calledName(service, word)).join(" ");
    const named = [query, called].map((one) => index.named(one)).find((tools) => tools.length > 0) ?? [];
    if (named.length > 0) {
      return withMore(
        named.slice(0, limit).map((tool) => `${wholeText(tool)}${this.#typeOf(tool)}`),
        named.length - (limit ?? named.length),
      );
    }
    const found = index.find(query);
    if (found.length === 0) {
      return `None of ${names.length} tools has a word of ${shownValue(query)}${index.suggestion(query)}`;
    }
    const most = limit ?? DEFAULT_LIMIT;
    return withMore(textsOf(found.slice(0, most), (tool) => this.#typeOf(tool)), found.length - most);
  }

  /** How a script calls it, on a line of its own; empty: none may. */
  #typeOf(tool: Tool): string {
    const { scripts } = this.#options;
    const may = scripts === "all" || scripts === "read" && tool.annotations?.readOnlyHint === true;
    return may ? `\n${typeText(tool)}` : "";
  }

  /** Reasons why tools are not known yet; empty: all are known. */
  #unknownServers(service: Service): string {
    const unknown = this.#options.hidden.flatMap((source) => source.unknown?.() ?? []);
    return unknown.length === 0
      ? ""
      : `Not known yet: the tools of ${unknown.join(", ")}. See \`${listedName(service, "status")}\`.`;
  }

  /** A listed tool is not called through this one, because a person may have allowed only one of them. */
  async #unknown(service: Service, name: string, { known, unavailable }: UnknownTool): Promise<string> {
    if (unavailable !== undefined) return `Tool "${name}" is not available: ${unavailable}`;
    const listed = (await Promise.all(service.sources.map((source) => source.list()))).flat();
    if (listed.some((tool) => tool.name === name)) return `Tool "${name}" is listed: it is called by its own name`;
    const guess = didYouMean(name, known);
    return `Unknown tool ${shownValue(name)}${guess || `; \`${listedName(service, FIND_TOOLS_NAME)}\` finds tools`}`;
  }
}

function textsOf(tools: readonly Tool[], typeOf: (tool: Tool) => string): readonly string[] {
  let room = SCHEMA_LENGTH;
  return tools.map((tool, place) => {
    const length = argumentsText(tool).length;
    if (place >= WITH_SCHEMA || length > room) return `${briefText(tool)}${typeOf(tool)}`;
    room -= length;
    return `${schemaText(tool)}${typeOf(tool)}`;
  });
}

function withMore(texts: readonly string[], more: number): string {
  return [...texts, ...more > 0 ? [`... ${more} more`] : []].join("\n");
}
