/** Several messages in one POST, which only version 2025-03-26 has. */
import { encodeText } from "../../base/text.ts";
import type { WireMessage } from "../../wire/json_rpc_message.ts";
import type { ClientMessage } from "../backend.ts";
import { EVENT_STREAM_HEADERS } from "../streams/event_stream.ts";
import type { AnswerForm } from "../accept.ts";
import { type Refusal, refusalResponse } from "../http_error.ts";

/**
 * Serves a batch; its answers are one list, or one stream. A batch with an invalid item is refused as a whole before
 * any item is served.
 */
export async function answerBatch(
  items: readonly WireMessage[],
  form: AnswerForm,
  post: (message: ClientMessage) => Promise<Response | Refusal>,
): Promise<Response | Refusal> {
  const wrong = items.find((item) => item.kind === "invalid");
  if (wrong !== undefined) return { status: 400, code: wrong.code, message: wrong.problem, id: wrong.id };
  const answers = await Promise.all(items.map(async (item) => {
    const answer = await post(item as ClientMessage); // neither invalid nor a batch itself
    if (answer instanceof Response) return answer;
    return refusalResponse({ id: item.kind === "request" ? item.id : null, ...answer });
  }));
  const told = answers.filter(({ status }) => status !== 202);
  const [first] = told;
  if (first === undefined) return new Response(null, { status: 202 });
  const { headers } = first;
  if (form === "json") return Response.json(await Promise.all(told.map((answer) => answer.json())), { headers });
  const all = new Headers(headers);
  for (const [name, value] of Object.entries(EVENT_STREAM_HEADERS)) all.set(name, value);
  return new Response(oneAfterTheOther(await Promise.all(told.map(eventsOf))), { headers: all });
}

/** The events of an answer; a JSON answer is one event. */
async function eventsOf(answer: Response): Promise<ReadableStream<Uint8Array>> {
  const isStream = answer.headers.get("content-type") === EVENT_STREAM_HEADERS["Content-Type"];
  if (isStream && answer.body !== null) return answer.body;
  return ReadableStream.from([encodeText(`event: message\ndata: ${await answer.text()}\n\n`)]);
}

/** Reads the streams one after another; cancelling the result cancels all of them. */
function oneAfterTheOther(streams: readonly ReadableStream<Uint8Array>[]): ReadableStream<Uint8Array> {
  const readers = streams.map((stream) => stream.getReader());
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (let [reader] = readers; reader !== undefined; [reader] = readers) {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        readers.shift();
      }
      controller.close();
    },
    async cancel(reason) {
      await Promise.all(readers.map((reader) => reader.cancel(reason)));
    },
  });
}
