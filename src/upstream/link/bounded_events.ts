/** Replaces messages beyond the limits in a stream of events by an error, before the SDK's client parses them. The stream continues. */
import { encodeText } from "../../base/text.ts";
import { excessive } from "../../wire/json_rpc_message.ts";
import { JsonScan } from "../../wire/json_scan.ts";
import { type Excess, excessiveAnswer, excessOf, LONGEST_MESSAGE } from "../../wire/message_bounds.ts";

/** The method that tells the link of a removed request of the server; `problem` says why. */
export const TAKEN_OUT = "ahma/taken_out";
const INTERNAL_ERROR = -32603;
/** Ends an event that was passed on in part: without the rest it is not JSON, and is dropped. */
const EVENT_END = encodeText("\n\n");

/** Passes events on; `lost` gives the message that ends the stream, or throws, if one is too long or unknown. */
export function boundedEvents(lost: (excess: Excess) => string): TransformStream<Uint8Array, Uint8Array> {
  const data = new EventData();
  let scan = new JsonScan();
  /** Of the event so far, with its other lines. */
  let length = 0;
  let excess: Excess | undefined;
  return new TransformStream({
    transform(chunk, controller) {
      const tell = (message: string) => controller.enqueue(encodeText(`event: message\ndata: ${message}\n\n`));
      const end = (why: Excess) => {
        controller.enqueue(EVENT_END);
        tell(lost(why));
        controller.terminate();
      };
      let [passed, begin] = [0, 0];
      for (const part of data.push(chunk)) {
        if (part.kind === "data") {
          scan.push(part.bytes);
          if (excess !== undefined || excessOf(scan) === undefined) continue;
          excess = excessOf(scan);
          controller.enqueue(chunk.subarray(passed, part.end - part.bytes.length));
          continue;
        }
        if (excess !== undefined) {
          const told = inPlace(excess, scan.outline);
          if (told === "lost") return end(excess);
          controller.enqueue(EVENT_END);
          if (told !== undefined) tell(told);
          passed = part.end;
        }
        [scan, excess, length, begin] = [new JsonScan(), undefined, 0, part.end];
      }
      length += chunk.length - begin;
      if (excess === undefined) controller.enqueue(chunk.subarray(passed));
      if (length > LONGEST_MESSAGE) end("length");
    },
  });
}

/** What the client gets instead of a message; undefined: no request waits for it. */
function inPlace(excess: Excess, outline: unknown): string | "lost" | undefined {
  const { id, meantAs, problem } = excessive(excess, outline);
  if (meantAs === "notification") return undefined;
  if (id === null) return "lost";
  const message = meantAs === "answer"
    ? { error: { code: INTERNAL_ERROR, message: excessiveAnswer(excess) } }
    : { method: TAKEN_OUT, params: { problem } };
  return JSON.stringify({ jsonrpc: "2.0", id, ...message });
}

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
const FIELD: readonly number[] = Array.from("data:", (character) => character.charCodeAt(0));
/** The one character that may precede the first line (byte order mark). */
const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf];

/** `end`: where it ends in the chunk. */
type EventPart =
  /** Of one line, or of a part of it. */
  | { readonly kind: "data"; readonly bytes: Uint8Array; readonly end: number }
  /** An empty line, which ends an event. */
  | { readonly kind: "blank"; readonly end: number };

/** Finds the data in a stream of events (HTML, "Server-sent events") as its bytes come. */
export class EventData {
  /** Bytes of the mark so far; at its full length the first line has begun. */
  #mark = 0;
  /** Bytes of the line so far. */
  #column = 0;
  /** Bytes of the name of the field that the line begins with. */
  #matched = 0;
  /** Whether the last byte was a carriage return: a newline after it ends no further line. */
  #wasReturn = false;

  /** The parts that are in a chunk, in their order. */
  *push(chunk: Uint8Array): Generator<EventPart> {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (this.#isMark(byte)) continue;
      if (byte !== NEWLINE && byte !== CARRIAGE_RETURN) {
        this.#wasReturn = false;
        if (this.#matched === this.#column && byte === FIELD[this.#column]) this.#matched++;
        if (++this.#column === FIELD.length) start = at + 1;
        continue;
      }
      const isSecond = byte === NEWLINE && this.#wasReturn;
      this.#wasReturn = byte === CARRIAGE_RETURN;
      if (isSecond) continue;
      if (this.#isData) yield { kind: "data", bytes: chunk.subarray(start, at), end: at };
      if (this.#column === 0) yield { kind: "blank", end: at + 1 };
      this.#column = 0;
      this.#matched = 0;
    }
    if (this.#isData) yield { kind: "data", bytes: chunk.subarray(start), end: chunk.length };
  }

  get #isData(): boolean {
    return this.#matched === FIELD.length;
  }

  /** Whether the byte belongs to the mark; a part of one is a part of the line. */
  #isMark(byte: number): boolean {
    if (this.#mark === BYTE_ORDER_MARK.length) return false;
    if (byte === BYTE_ORDER_MARK[this.#mark]) {
      this.#mark++;
      return true;
    }
    this.#column = this.#mark;
    this.#mark = BYTE_ORDER_MARK.length;
    return false;
  }
}
