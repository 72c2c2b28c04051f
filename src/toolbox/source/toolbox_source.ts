/** The source of native tools. Arguments are checked here; a worker in the sandbox does the work (K1, K2). */
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import { encodeText } from "../../base/text.ts";
import { shorten } from "../../base/visible_text.ts";
import { failure, success } from "../../base/outcome.ts";
import type { Work } from "../../operation/operation.ts";
import { ForwardedProgress } from "../../service/result/forwarded_progress.ts";
import { protectedNote } from "../../service/result/protected_note.ts";
import { errorResult } from "../../service/result/result_text.ts";
import type { CallAudit, CallRecord } from "../../service/run/call_audit.ts";
import { runOperation } from "../../service/run/run_operation.ts";
import type { CallContext, Service, ToolSource } from "../../service/service.ts";
import { member } from "../../wire/json_value.ts";
import type { GroupedTool } from "../definition/groups.ts";
import { checkArguments, schemaOf } from "../definition/parameters.ts";
import type { ToolDefinition, WorkerKind } from "../definition/tool_definition.ts";
import type { ToolArguments, ToolResult } from "../frame/messages.ts";
import type { WorkerLink } from "../link/worker_link.ts";

export interface ToolboxSourceParts {
  readonly tools: readonly GroupedTool[];
  readonly workers: Readonly<Record<WorkerKind, Pick<WorkerLink, "call" | "watched">>>;
  /** Arguments that only the server adds to a tool's call, by the tool's name; `operation` is the id of the call's. */
  readonly added: Readonly<Record<string, (operation: string) => ToolArguments>>;
  /** Records what a call changes that may write, and gives sentences for its result; absent: nothing is recorded. */
  readonly recorded?: CallRecord;
  /** Tools of the server, by name. */
  readonly inServer: Readonly<Record<string, ServerTool>>;
  /** Undefined: no log is kept. */
  readonly audit: CallAudit | undefined;
  /** Called with the tool's name after each call that may have changed files; optional. */
  readonly onChange?: (tool: string) => void;
}

/** A tool that runs in the server and opens no path of a call. An invalid call gives an error result. */
export type ServerTool = (service: Service, args: never, context: CallContext) => Promise<CallToolResult>;

/** The tools of the requested groups. */
export function toolboxSource(
  { tools, workers, inServer, audit, onChange, added, recorded }: ToolboxSourceParts,
): ToolSource {
  const listed = tools.map(({ definition }) => listedTool(definition));
  const byName = new Map(tools.map((tool) => [tool.definition.name, tool]));
  return {
    list: () => Promise.resolve(listed),
    async call(service, { name, args }, context) {
      const tool = byName.get(name);
      if (tool === undefined) return failure({ known: byName.keys() });
      const checked = checkArguments(name, tool.definition.parameters, args);
      if (!checked.ok) return success(errorResult(checked.problem));
      const { place } = tool;
      if (place !== "server") {
        const mayChange = place !== "web" && !tool.definition.readOnly;
        const call = {
          name,
          args: checked.value,
          added: (operation: string) => added[name]?.(operation) ?? {},
          worker: workers[place],
          mayChange,
          runsPrograms: tool.definition.runsPrograms === true,
          audit,
          recorded: mayChange && place === "project" ? recorded : undefined,
        };
        const result = await callWorker(service, call, context);
        if (!tool.definition.readOnly) onChange?.(name);
        return success(result);
      }
      const own = inServer[name];
      if (own === undefined) return failure({ known: byName.keys() });
      return success(await own(service, checked.value as never, context));
    },
  };
}

interface WorkerCall extends Pick<ToolboxSourceParts, "audit"> {
  readonly name: string;
  readonly args: ToolArguments;
  readonly added: (operation: string) => ToolArguments;
  readonly worker: Pick<WorkerLink, "call" | "watched">;
  /** It may change files of the project. */
  readonly mayChange: boolean;
  readonly runsPrograms: boolean;
  readonly recorded: ToolboxSourceParts["recorded"];
}

const GIT_CONFIG = /(?:^|\/)config$/;

async function callWorker(
  service: Service,
  { name, args, added, worker, mayChange, runsPrograms, audit, recorded }: WorkerCall,
  context: CallContext,
): Promise<CallToolResult> {
  const progress = new ForwardedProgress(context);
  const work: Work = async (control) => {
    const { path } = args;
    const audited = { operation: control.operation, ...typeof path === "string" && { path } };
    const begun = await audit?.beginCall(audited);
    if (begun?.ok === false) return { kind: "not_started", message: begun.problem, fault: "server" };
    const call = () =>
      worker.call(name, { ...args, ...added(control.operation.id) }, {
        signal: control.signal,
        onProgress: (step) => progress.forward({ ...step }),
      });
    const act = async () =>
      recorded === undefined
        ? await call()
        : withNotes(await recorded.around({ id: control.operation.id, title: `${name}: ${job.title}` }, call));
    // The copy that the worker reads is updated when a watched call begins.
    const isWatched = mayChange || typeof path === "string" && GIT_CONFIG.test(path);
    const result = isWatched ? await withChanges({ worker, runsPrograms }, act) : await act();
    control.answer({ ...result });
    control.write(encodeText(`${textOf(result)}\n`));
    const outcome = control.signal.aborted ? "cancelled" : result.isError === true ? "failed" : "completed";
    await audit?.endCall(audited, outcome);
    return { kind: "exited", code: result.isError === true ? 1 : 0 };
  };
  const job = {
    tool: name,
    title: shorten(JSON.stringify(args)),
    work,
    timeoutSeconds: service.settings.timeoutSeconds,
    executionMode: undefined,
    leafSynchronous: undefined,
  };
  try {
    // The tool reports its own progress, so the output of the operation is not reported.
    return await runOperation(service, job, {
      ...context,
      sendProgress: undefined,
      ...context.sendProgress !== undefined && { unhurried: true as const },
    });
  } finally {
    progress.end();
  }
}

/** The result of a call, which also tells what the worker changed of protected paths. */
export async function withChanges(
  { worker, runsPrograms }: { readonly worker: Pick<WorkerLink, "watched">; readonly runsPrograms: boolean },
  call: () => Promise<ToolResult>,
): Promise<ToolResult> {
  const { result, changes } = await worker.watched(call, { runsPrograms });
  const note = protectedNote({ protectedChanges: changes });
  return withNotes({ result, notes: note === "" ? [] : [note] });
}

function withNotes(
  { result, notes }: { readonly result: ToolResult; readonly notes: readonly string[] },
): ToolResult {
  if (notes.length === 0) return result;
  return { ...result, content: [...result.content, { type: "text", text: notes.join("\n") }] };
}

/** A tool in the form of `tools/list`. */
export function listedTool({ name, title, description, parameters, ...traits }: ToolDefinition): Tool {
  const { readOnly, idempotent = readOnly, harmless = readOnly, openWorld = false } = traits;
  return {
    name,
    title,
    description,
    // The schema is JSON, although the type of its members is `unknown`.
    inputSchema: schemaOf(parameters) as Tool["inputSchema"],
    annotations: {
      readOnlyHint: readOnly,
      destructiveHint: !harmless,
      idempotentHint: idempotent,
      openWorldHint: openWorld,
    },
  };
}

/** A result as text for readers of operations; other parts are only named. */
export function textOf({ content }: ToolResult): string {
  return content.map((part) => part.type === "text" ? part.text : `[${part.type} ${member(part, "mimeType") ?? ""}]`)
    .join("\n");
}
