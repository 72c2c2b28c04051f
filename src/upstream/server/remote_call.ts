/** A call of another server's tool as an operation, so that a slow one can be awaited and cancelled (O6). */
import { type CallToolResult, isSpecType } from "@modelcontextprotocol/server";
import type { Operation } from "../../operation/operation_record.ts";
import { isEnded, type Work } from "../../operation/operation.ts";
import { encodedParts } from "../../base/text.ts";
import { delay } from "../../base/time.ts";
import { type TraceContext, traceMeta } from "../../wire/trace_context.ts";
import { shorten } from "../../base/visible_text.ts";
import { errorResult, finalResult, startedResult, styleOf } from "../../service/result/result_text.ts";
import { longestWait } from "../../service/run/mode.ts";
import { ForwardedProgress } from "../../service/result/forwarded_progress.ts";
import type { CallContext, Service } from "../../service/service.ts";
import { isObject, member } from "../../wire/json_value.ts";
import type { LinkRequest } from "../link/link.ts";
import type { CallAudit, CallRecord } from "../../service/run/call_audit.ts";
import { shown } from "../definitions/definition.ts";
import { withOurUris } from "../definitions/foreign_uri.ts";
import type { Refused } from "../asking/active_call.ts";
import type { UpstreamServer } from "./upstream_server.ts";
import type { AskedClient, QuestionAnswer } from "../../service/questions/question.ts";
import type { Answer } from "../../child_server/pending_calls.ts";

export interface RemoteCall {
  readonly server: UpstreamServer;
  /** The name that the client used. */
  readonly name: string;
  /** The server's own name for it. */
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The tool's schema, if arguments must also be sent as headers. */
  readonly headerSchema: LinkRequest["headerSchema"];
  /** Why the tool is not offered, checked once the server's newest tools are known; undefined: it is offered. */
  readonly problem: () => string | undefined;
  /** Undefined: there is none. */
  readonly audit: CallAudit | undefined;
  /** Undefined: what a call changes is not recorded. */
  readonly recorded: CallRecord | undefined;
}

/** Beyond this many characters, reading or writing takes some milliseconds. */
const LONG = 1024 * 1024;
const CANCELLED_BY_CLIENT = "The client cancelled the request";

/** The start of a text, which is enough for a title. */
function startOnly(_: string, value: unknown): unknown {
  return typeof value === "string" ? value.slice(0, 200) : value;
}

/** Does the call: the unchanged result of the server, or an operation id after the server's `waitMs`. */
export async function callRemote(service: Service, call: RemoteCall, context: CallContext): Promise<CallToolResult> {
  const { registry, settings } = service;
  const { spec } = call.server;
  const progress = new ForwardedProgress(context);
  const questions = new OpenQuestions(context.client);
  const title = shorten(`${spec.name} ${call.tool} ${JSON.stringify(call.args, startOnly)}`);
  const { telemetry } = service;
  const trace = telemetry?.child(context.trace) ?? context.trace;
  const operation = registry.start(call.name, title, workOf({ ...call, trace }, progress, questions), {
    timeoutSeconds: spec.maxSeconds,
    server: spec.name,
    ...telemetry !== undefined && { trace },
  });
  const mode = settings.synchronous ? "synchronous" : "undecided";
  const limitMs = context.task?.required === true || settings.synchronous
    ? longestWait(service, mode, context)
    : spec.waitMs;
  if (limitMs > 0) {
    registry.markDelivered(operation.id);
    await waitFor(service, { operation, limitMs, questions }, context);
    progress.end();
    if (isEnded(operation.state)) return resultOf(service, operation, context);
    registry.markUndelivered(operation.id);
  }
  progress.end();
  if (context.task !== undefined) registry.markTask(operation.id);
  const tell = context.task?.begin ?? context.onBackground;
  tell?.(operation);
  return startedResult(operation, styleOf(service, context), registry.queuePosition(operation.id));
}

/** The server's answer unchanged; an operation that was ended before has none. */
function resultOf(service: Service, operation: Operation, context: CallContext): CallToolResult {
  // The server's answer has the shape of a result, which `workOf` has checked.
  return operation.answer === undefined || operation.stop !== undefined
    ? finalResult(operation, styleOf(service, context))
    : operation.answer as CallToolResult;
}

interface Waited {
  readonly operation: Operation;
  /** Restarts when the client has answered a question. */
  readonly limitMs: number;
  readonly questions: OpenQuestions;
}

async function waitFor(service: Service, { operation, limitMs, questions }: Waited, { signal }: CallContext) {
  const onAbort = () => void service.registry.cancel(operation.id, CANCELLED_BY_CLIENT);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  do {
    await service.registry.wait([operation.id], { timeoutMs: limitMs });
  } while (!isEnded(operation.state) && await questions.answered());
  signal.removeEventListener("abort", onAbort);
}

function workOf(
  { server, name, tool, args, headerSchema, problem, audit, recorded, trace }: RemoteCall & {
    readonly trace: TraceContext | undefined;
  },
  progress: ForwardedProgress,
  { client }: OpenQuestions,
): Work {
  return async (control) => {
    const audited = { operation: control.operation, server: server.spec.name, called: tool };
    const begun = await audit?.beginCall(audited);
    if (begun?.ok === false) return { kind: "not_started", message: begun.problem, fault: "server" };
    const request = {
      method: "tools/call",
      params: { name: tool, arguments: args, ...trace !== undefined && { _meta: traceMeta(trace) } },
      onProgress: (params: Readonly<Record<string, unknown>>) => progress.forward(params),
      ...headerSchema !== undefined && { headerSchema },
      signal: control.signal,
    };
    const ask = () => server.call({ request, client, problem });
    const title = `${name}: ${shorten(JSON.stringify(args, startOnly))}`;
    // The server's result is passed on unchanged: the tool `changes` shows the record.
    const { answer, refused } = recorded === undefined
      ? await ask()
      : (await recorded.around({ id: control.operation.id, title }, ask)).result;
    const result = withRefused(withLinks(server, foreignResult(server.spec.name, answer)), refused);
    control.answer(result);
    const text = textOf(result);
    for (const part of encodedParts(text)) await control.write(part);
    // Lets other work run between reading and writing a long answer.
    if (text.length > LONG) await delay(0);
    const outcome = control.signal.aborted ? "cancelled" : result.isError === true ? "failed" : "completed";
    await audit?.endCall(audited, outcome);
    return { kind: "exited", code: result.isError === true ? 1 : 0 };
  };
}

/** Links to resources lead through this server, even if the other server declares none. */
function withLinks({ spec }: UpstreamServer, result: CallToolResult): CallToolResult {
  // As in `foreignResult`: the content is the server's, and meant for the client.
  const content = result.content.map((part) => withOurUris(spec.name, part)) as CallToolResult["content"];
  return { ...result, content };
}

/** Marks a result as an error when a request of the server was refused. */
function withRefused(result: CallToolResult, refused: readonly Refused[]): CallToolResult {
  if (refused.length === 0) return result;
  const texts = new Set(refused.map(({ text }) => text));
  const content = [...result.content, ...[...texts].map((text) => ({ type: "text", text }) as const)];
  return { ...result, content, ...refused.some(({ isOwn }) => isOwn) && { isError: true } };
}

/** The text of a result, with other parts named, for clients that read operations as text. */
function textOf({ content }: CallToolResult): string {
  return content.map((part: unknown) => {
    const text = member(part, "text");
    if (typeof text === "string") return text;
    const kind = [member(part, "type"), member(part, "mimeType"), member(part, "uri")];
    return `[${kind.filter((word) => typeof word === "string").join(" ")}]`;
  }).join("\n");
}

/** Counts the open questions to a client. */
class OpenQuestions {
  /** The client whose questions are counted; undefined: it takes none. */
  readonly client: AskedClient | undefined;
  readonly #open = new Set<Promise<QuestionAnswer>>();

  constructor(client: AskedClient | undefined) {
    this.client = client && {
      owner: client.owner,
      offers: client.offers,
      get canAsk() {
        return client.canAsk;
      },
      get logLevel() {
        return client.logLevel;
      },
      notify: (notice) => client.notify(notice),
      ask: async (question, signal) => {
        const answer = client.ask(question, signal);
        this.#open.add(answer);
        return await answer.finally(() => this.#open.delete(answer));
      },
    };
  }

  /** Waits for the answers to open questions; false: none is open. */
  async answered(): Promise<boolean> {
    const open = [...this.#open];
    await Promise.all(open);
    return open.length > 0;
  }
}

/** Keys of `_meta` that a server may not set: ours and the protocol's, by which clients find operations. */
const NOT_THEIRS = /^(?:ahma|(?:[\w.-]+\.)?(?:modelcontextprotocol|mcp)(?:\.[\w.-]+)?)\//;

/** The result for the client; a refusal becomes an error with the server's name. */
export function foreignResult(server: string, answer: Answer): CallToolResult {
  if ("error" in answer) {
    return errorResult(`${server}: ${shown(answer.error.message)}`);
  }
  const { content, structuredContent, isError, _meta } = answer.result;
  if (!Array.isArray(content)) return errorResult(`${server}: The server answered without content`);
  // Stops at the first malformed part: the SDK would explain each of thousands.
  const malformed = content.findIndex((part) => !isSpecType.ContentBlock(part));
  if (malformed >= 0) {
    return errorResult(`${server}: The server answered with malformed content (item ${malformed + 1})`);
  }
  const meta = isObject(_meta) ? theirs(_meta) : {};
  return {
    content,
    ...isObject(structuredContent) && { structuredContent },
    ...typeof isError === "boolean" && { isError },
    ...Object.keys(meta).length > 0 && { _meta: meta },
  };
}

/** Copies only if something is left out: there may be many. */
function theirs(meta: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!Object.keys(meta).some((key) => NOT_THEIRS.test(key))) return meta;
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !NOT_THEIRS.test(key)));
}
