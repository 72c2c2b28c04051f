/** The second tool source: tool files. A call keeps the catalog that it began with, even if files change during it. */
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import type { Unsubscribe } from "../../base/emitter.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { visibleText } from "../../base/visible_text.ts";
import { reasonOf } from "../../catalog/load/availability.ts";
import { inputSchemaOf } from "../../catalog/model/input_schema.ts";
import type { Catalog, Leaf } from "../../catalog/model/leaf.ts";
import { resolveCall, type ResolvedCall } from "../../catalog/model/resolve.ts";
import { listedDescription, type ListFacts } from "../result/listed_texts.ts";
import { appendFinished } from "../result/finished_operations.ts";
import { errorResult } from "../result/result_text.ts";
import { commandWork, PREVIEW_DESCRIPTION, withNetwork } from "../run/command_work.ts";
import { readCondition, readWatch } from "../run/output_condition.ts";
import { prepareCall } from "../run/prepare_call.ts";
import { withRetries } from "../run/retries.ts";
import { timeLimit } from "../run/mode.ts";
import { type Job, runOperation } from "../run/run_operation.ts";
import { exclusiveKeys, sequenceWork } from "../run/sequence.ts";
import type { CallContext, Service, ToolCall, ToolSource, UnknownTool } from "../service.ts";
import { programGroups, programTool } from "./program_tool.ts";

export interface ToolFileParts {
  readonly facts: ListFacts;
  /** The current tools. */
  readonly catalog: () => Promise<Catalog>;
  /** Calls the listener when `catalog` has changed; absent: it never does. */
  readonly onChange?: ((listener: () => void) => Unsubscribe) | undefined;
  /** Whether `catalog` stays as it is; absent: it does where `onChange` is absent. */
  readonly isFinal?: () => boolean;
}

export class ToolFileSource implements ToolSource {
  readonly onChange?: (listener: () => void) => Unsubscribe;
  readonly isFinal?: () => boolean;
  readonly #parts: ToolFileParts;
  #catalog: Catalog | undefined;
  #tools: readonly Tool[] = [];
  /** Leaves of unchanged files are the same objects, and so are their definitions. */
  readonly #known = new WeakMap<Leaf, Tool>();

  constructor(parts: ToolFileParts) {
    this.#parts = parts;
    if (parts.onChange !== undefined) this.onChange = parts.onChange;
    if (parts.isFinal !== undefined) this.isFinal = parts.isFinal;
  }

  /** In the order of the catalog; leaves of one program stand where the first of them does. */
  async list(): Promise<readonly Tool[]> {
    const catalog = await this.#parts.catalog();
    if (catalog !== this.#catalog) {
      this.#tools = this.#toolsOf(catalog);
      this.#catalog = catalog;
    }
    return this.#tools;
  }

  async call(
    service: Service,
    { name, args }: ToolCall,
    context: CallContext,
  ): Promise<Outcome<CallToolResult, UnknownTool>> {
    const catalog = await this.#parts.catalog();
    const isOffered = this.#parts.facts.settings.preview?.isOn === true;
    const { isPreview, rest } = isOffered
      ? previewIn(catalog.byName.get(name), args)
      : { isPreview: false, rest: args };
    const resolved = resolveCall(catalog, name, rest);
    if (!resolved.ok && resolved.problem.kind === "unknown_tool") return failure(unknownTool(catalog, name));
    const job = resolved.ok
      ? await makeJob(service, catalog, { ...resolved.value, isPreview })
      : failure(resolved.problem.message);
    const result = job.ok ? await runOperation(service, job.value, context) : errorResult(job.problem);
    return success(appendFinished(result, service, context));
  }

  #toolsOf(catalog: Catalog): readonly Tool[] {
    const groups = programGroups(catalog, this.#parts.facts);
    return catalog.leaves.flatMap((leaf) => {
      const leaves = groups.get(leaf.tool);
      if (leaves !== undefined) return leaves[0] === leaf ? [this.#groupTool(leaf.tool, leaves, catalog)] : [];
      const tool = this.#known.get(leaf) ?? leafTool(leaf, this.#parts.facts);
      this.#known.set(leaf, tool);
      return [tool];
    });
  }

  #groupTool(name: string, leaves: readonly Leaf[], { tools }: Catalog): Tool {
    const description = tools.find((tool) => tool.name === name)?.definition.description ?? "";
    const tool = programTool({ name, description: visibleText(description.trim()), leaves }, this.#parts.facts);
    return withPreviewArgument(tool, leaves, this.#parts.facts);
  }
}

/** The tool with the argument that previews a call, where that is offered and no leaf has its own (S40). */
function withPreviewArgument(tool: Tool, leaves: readonly Leaf[], { settings }: ListFacts): Tool {
  if (settings.preview?.isOn !== true || leaves.some(declaresPreview)) return tool;
  const { inputSchema } = tool;
  const preview = { type: "boolean", description: PREVIEW_DESCRIPTION };
  return { ...tool, inputSchema: { ...inputSchema, properties: { ...inputSchema.properties, preview } } };
}

/** The argument `preview` of a call, unless the leaf has one of its own; the rest is the leaf's. */
function previewIn(leaf: Leaf | undefined, args: ToolCall["args"]) {
  const { preview, ...rest } = args;
  const isOurs = typeof preview === "boolean" && (leaf === undefined || !declaresPreview(leaf));
  return isOurs ? { isPreview: preview, rest } : { isPreview: false, rest: args };
}

function declaresPreview({ options, positionals }: Leaf): boolean {
  return [...options, ...positionals].some(({ name }) => name === "preview");
}

/** A leaf as a separate tool. */
export function leafTool(leaf: Leaf, facts: ListFacts): Tool {
  const tool = {
    name: leaf.name,
    description: listedDescription(leaf, facts),
    // A schema is JSON, which its own type does not say: its members are `unknown`.
    inputSchema: { ...inputSchemaOf(leaf) } as Tool["inputSchema"],
    ...leaf.idempotent === true && { annotations: { idempotentHint: true } },
  };
  return withPreviewArgument(tool, [leaf], facts);
}

/** The problem is the text of the result. */
async function makeJob(
  service: Service,
  catalog: Catalog,
  { leaf, args, isPreview }: ResolvedCall & { readonly isPreview: boolean },
): Promise<Outcome<Job>> {
  const prepared = await prepareCall(leaf, args, { scope: service.scope });
  if (!prepared.ok) return prepared;
  const { meta, directory, command, title } = prepared.value;
  const made = command === undefined
    ? await sequenceWork(service, catalog, { leaf, directory })
    : success({ work: withRetries(commandWork(service, command, directory, leaf), leaf.retry), exclusive: [] });
  if (!made.ok) return made;
  const awaited = await readCondition(leaf.name, leaf.answersAt, { isOpen: leaf.input !== undefined });
  if (!awaited.ok) return awaited;
  const watch = await readWatch(leaf.name, leaf.watch ?? []);
  if (!watch.ok) return watch;
  const waits = { awaited: awaited.value, watch: watch.value };
  return success({
    tool: leaf.name,
    title,
    work: withNetwork(made.value.work, leaf.network),
    preview: isPreview,
    exclusive: [...exclusiveKeys(leaf, directory), ...made.value.exclusive],
    timeoutSeconds: timeLimit(service.settings, meta.timeoutSeconds ?? leaf.timeoutSeconds, waits),
    executionMode: meta.executionMode,
    leafSynchronous: leaf.synchronous,
    ...waits,
  });
}

function unknownTool({ unavailable, byName }: Catalog, name: string): UnknownTool {
  const missing = unavailable?.find(({ names }) => names.includes(name));
  return { known: byName.keys(), ...missing !== undefined && { unavailable: reasonOf(missing) } };
}
