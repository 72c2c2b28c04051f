/** Serves calls of 2026-07-28 without the SDK, except results that only it can write. A closed connection cancels. */
import type { JSONRPCMessage, Result } from "@modelcontextprotocol/server";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { encodeText } from "../../base/text.ts";
import { withTimeout } from "../../base/time.ts";
import type { AnswerForm } from "../../http/accept_header.ts";
import { EVENT_STREAM_HEADERS, EventStream, HEAD_MS } from "../../http/event_stream.ts";
import { plainAnswerText, type plainCall, resultOf } from "../../service/connection/plain_calls.ts";
import type { Service } from "../../service/service.ts";

/** The service that does plain calls, and which calls are plain. */
export interface PlainCalls {
  readonly service: Service;
  readonly plainCall: typeof plainCall;
}

interface DirectOptions {
  /** Absent: the SDK serves all calls. */
  readonly calls?: PlainCalls;
  readonly keepAliveMs: number;
  /** Called with each call that begins. */
  readonly track: <Value>(call: Promise<Value>) => Promise<Value>;
  /** Called with each event that is sent. */
  readonly onEvent: (event: string) => void;
  readonly log: Logger;
}

interface Asked {
  readonly headers: Headers;
  readonly message: JSONRPCMessage;
  readonly form: AnswerForm;
}

/** The SDK's response with what a call gave. */
type BySdk = (outcome: Promise<Result>, form: AnswerForm) => Promise<Response>;

/** The response to a plain call; undefined: the message is none, and the SDK answers it. */
export function answerDirectly(options: DirectOptions, asked: Asked, bySdk: BySdk): Promise<Response> | undefined {
  if (options.calls === undefined) return undefined;
  const { service, plainCall } = options.calls;
  const call = plainCall(asked.message);
  if (call === undefined || !namesCall(asked.headers, call.name)) return undefined;
  const leaving = new AbortController();
  const outcome = options.track(resultOf(service, call, leaving.signal));
  const written = outcome.then((result) => ({ text: plainAnswerText(service, call, result) }), () => NOT_PLAIN);
  return respond(written, () => bySdk(outcome, asked.form));

  /** As a whole if the answer comes soon; otherwise with a body that waits for it. */
  async function respond(written: Promise<Written>, answer: () => Promise<Response>): Promise<Response> {
    const soon = await withTimeout(written, HEAD_MS);
    if (soon !== undefined) return soon.text === undefined ? await answer() : whole(options, asked.form, soon.text);
    const text = written.then(async (late) => late.text ?? await (await bySdk(outcome, "json")).text())
      .catch((thrown) => {
        options.log.error("Cannot answer a request", { error: messageOf(thrown) });
        return JSON.stringify({ jsonrpc: "2.0", id: call?.id, error: INTERNAL_ERROR });
      });
    return asked.form === "json" ? lateJson(text, leaving) : lateEvents(options, text, leaving);
  }
}

/** Undefined: only the SDK knows how to write the answer. */
interface Written {
  readonly text: string | undefined;
}

const NOT_PLAIN: Written = { text: undefined };
const INTERNAL_ERROR = { code: -32603, message: "Internal error" };
const JSON_HEADERS = { "Content-Type": "application/json" };

/** Whether method and name in the headers are those of a call of `name`, beyond doubt. */
function namesCall(headers: Headers, name: string): boolean {
  // An encoded name begins so.
  return headers.get("mcp-protocol-version") === "2026-07-28" && headers.get("mcp-method") === "tools/call" &&
    headers.get("mcp-name") === name && !name.startsWith("=?");
}

function whole({ onEvent }: DirectOptions, form: AnswerForm, text: string): Response {
  if (form === "json") return new Response(text, { headers: JSON_HEADERS });
  const event = `event: message\ndata: ${text}\n\n`;
  onEvent(event);
  return new Response(event, { headers: EVENT_STREAM_HEADERS });
}

function lateJson(text: Promise<string>, leaving: AbortController): Response {
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      controller.enqueue(encodeText(await text));
      controller.close();
    },
    cancel: () => leaving.abort(),
  }, { highWaterMark: 0 });
  return new Response(body, { headers: JSON_HEADERS });
}

function lateEvents(
  { keepAliveMs, onEvent }: DirectOptions,
  text: Promise<string>,
  leaving: AbortController,
): Response {
  const stream = new EventStream({ keepAliveMs, onGone: () => leaving.abort() });
  void text.then((message) => {
    onEvent(`event: message\ndata: ${message}\n\n`);
    stream.writeOnce(message);
    stream.close();
  });
  return new Response(stream.body, { headers: EVENT_STREAM_HEADERS });
}
