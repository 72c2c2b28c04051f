/**
 * A `fetch` for the SDK's transports that reads no more of a server's answer than a message may have: the SDK reads
 * bodies to their end. Bytes count as they are read, so that a compressed body cannot hide what it becomes.
 */
import { startOf } from "../../base/bytes.ts";
import { encodeText } from "../../base/text.ts";
import { isObject, parseJson } from "../../wire/json_value.ts";

/** Of a message, bytes. */
const LONGEST = 16 * 1024 * 1024;
/** Of what stands in a refusal, bytes. */
const LONGEST_REFUSAL = 64 * 1024;
const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
const INTERNAL_ERROR = -32603;
const TOO_LONG = "The server answered with more than 16 MiB, which is not read: ask it for less";

/** Reads a stream of events as long as each is a message in size, another body as a whole, a refusal in part. */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const answer = () => tooLongAnswer(init?.body);
  const rest = { status, statusText, headers };
  if (!response.ok) return new Response((await startOf(body, LONGEST_REFUSAL)).bytes, rest);
  if (headers.get("content-type")?.toLowerCase().startsWith("text/event-stream") === true) {
    return new Response(body.pipeThrough(boundedEvents(answer)), rest);
  }
  const { bytes, isWhole } = await startOf(body, LONGEST);
  return isWhole ? new Response(bytes, rest) : Response.json(JSON.parse(answer()));
}

/** Passes events on; one that is too long ends the stream with `answer`, and fails it where there is none. */
function boundedEvents(answer: () => string): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  let isLineEmpty = true;
  return new TransformStream({
    transform(chunk, controller) {
      for (let at = 0; at < chunk.length;) {
        const newline = chunk.indexOf(NEWLINE, at);
        const end = newline < 0 ? chunk.length : newline;
        const isBlank = end === at || end === at + 1 && chunk[at] === CARRIAGE_RETURN;
        length += end - at;
        isLineEmpty &&= isBlank;
        if (newline >= 0) {
          if (isLineEmpty) length = 0;
          isLineEmpty = true;
        }
        at = end + 1;
      }
      if (length <= LONGEST) return controller.enqueue(chunk);
      controller.enqueue(encodeText(`\n\nevent: message\ndata: ${answer()}\n\n`));
      controller.terminate();
    },
  });
}

/** The error for the request that was sent. @throws {Error} When the body was no request. */
function tooLongAnswer(sent: RequestInit["body"]): string {
  const request = typeof sent === "string" ? parseJson(sent) : undefined;
  const id = request?.ok === true && isObject(request.value) ? request.value["id"] : undefined;
  if (typeof id !== "number" && typeof id !== "string") throw new Error(TOO_LONG);
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code: INTERNAL_ERROR, message: TOO_LONG } });
}
