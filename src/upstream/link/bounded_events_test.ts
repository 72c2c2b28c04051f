import { strict as assert } from "node:assert";
import fc from "fast-check";
import { encodeText } from "../../base/text.ts";
import { MOST_MEMBERS } from "../../wire/message_bounds.ts";
import { boundedEvents, EventData } from "./bounded_events.ts";
import { concatenate } from "../../base/bytes.ts";

const MANY = `{"a":[${"1,".repeat(MOST_MEMBERS)}1]}`;
const DEEP = "[".repeat(1_000);
const TOO_MANY = `more than ${MOST_MEMBERS} keys and list items`;
const PROBLEM = `Invalid request: the message has ${TOO_MANY}, the limit`;

/** The messages that a client reads, of a stream that comes in parts of this size. */
async function messagesIn(text: string, size: number): Promise<readonly unknown[]> {
  const bytes = encodeText(text);
  const parts = Array.from(
    { length: Math.ceil(bytes.length / size) },
    (_, at) => bytes.subarray(at * size, (at + 1) * size),
  );
  const events = ReadableStream.from(parts).pipeThrough(boundedEvents((excess) => `"${excess}"`));
  const read = await new Response(events).text();
  return read.split(/\r?\n\r?\n/).flatMap((event) => {
    const data = event.split(/\r?\n/).filter((line) => line.startsWith("data:")).map((line) => line.slice(5));
    return data.length === 0 ? [] : [valueOf(data.join("\n"))];
  });
}

/** As the SDK's client: what is not JSON is left out. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return "not JSON";
    throw thrown;
  }
}

function failed(id: unknown, what = TOO_MANY): object {
  const message = `The server answered with ${what}, which is not read: ask it for less`;
  return { jsonrpc: "2.0", id, error: { code: -32603, message } };
}

Deno.test("O6 boundedEvents() takes out what is beyond a bound, says so in its place, and the stream goes on", async () => {
  const rows: readonly (readonly [data: string, inPlace: readonly unknown[]])[] = [
    [`data: {"jsonrpc":"2.0","id":1,"result":${MANY}}\n\n`, [failed(1)]],
    [`id: 4\r\ndata: {"jsonrpc":"2.0","id":"a",\r\ndata: "error":${MANY}}\r\n\r\n`, [failed("a")]],
    [`data:{"jsonrpc":"2.0","id":2,"result":${DEEP}\n\n`, [
      failed(2, "more than 500 objects and lists inside each other"),
    ]],
    [`event: message\ndata: {"params":${MANY},"method":"notifications/x","jsonrpc":"2.0"}\n\n`, []],
    [`data: {"id":3,"method":"elicitation/create","params":${MANY}}\n\n`, [
      { jsonrpc: "2.0", id: 3, method: "ahma/taken_out", params: { problem: PROBLEM } },
    ]],
    [`data: {"jsonrpc":"2.0","id":1,"result":{"a":"${"[1,".repeat(100_000)}"}}\n\n`, [
      { jsonrpc: "2.0", id: 1, result: { a: "[1,".repeat(100_000) } },
    ]],
  ];
  for (const [data, inPlace] of rows) {
    for (const size of [7_000, 65_536, 10_000_000]) {
      const messages = await messagesIn(`data: "before"\n\n${data}data: "after"\n\n`, size);
      assert.deepStrictEqual(
        messages.filter((one) => one !== "not JSON"),
        ["before", ...inPlace, "after"],
        data.slice(0, 80),
      );
    }
  }
});

Deno.test("O6 boundedEvents() ends a stream whose event is too long, or does not say what it was meant as", async () => {
  for (const [data, excess] of [[`data: [${MANY}]\n\n`, "members"], [`: ${"x".repeat(17 << 20)}`, "length"]]) {
    const messages = await messagesIn(`data: "before"\n\n${data}data: "after"\n\n`, 65_536);
    assert.deepStrictEqual(messages.filter((one) => one !== "not JSON"), ["before", excess]);
  }
});

/** The data of each event, from the whole text. */
function dataIn(bytes: Uint8Array): readonly string[] {
  // The decoder leaves out the mark.
  const lines = new TextDecoder().decode(bytes).split(/\r\n|\r|\n/);
  const events = [""];
  for (const line of lines.slice(0, -1)) {
    if (line === "") events.push("");
    else if (line.startsWith("data:")) events.push(events.pop() + line.slice(5));
  }
  return events;
}

const LINE = fc.oneof(
  fc.constantFrom("", "data:", "data", "data: {}", "data:[1,2]", "dat", "Data:x", " data:x", "id: 1", ":", "datax:y"),
  fc.string({ unit: fc.constantFrom("d", "a", "t", ":", "x", "ü", "\ufeff"), maxLength: 8 }),
);
const END = fc.constantFrom("\n", "\r", "\r\n");

Deno.test("O6 EventData finds the data of each event as the specification has it, wherever the parts end", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(LINE, END)),
      fc.constantFrom("", "\ufeff", "\ufeff\ufeff"),
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
      (lines, mark, sizes) => {
        const bytes = encodeText(mark + lines.flat().join(""));
        const found: Uint8Array[][] = [[]];
        const data = new EventData();
        for (let [at, turn] = [0, 0]; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          for (const part of data.push(bytes.subarray(at, at + size))) {
            if (part.kind === "data") found.at(-1)?.push(part.bytes);
            else found.push([]);
          }
          at += size;
        }
        const texts = found.map((parts) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(concatenate(parts)));
        assert.deepStrictEqual(texts, dataIn(bytes));
      },
    ),
    { numRuns: 2_000 },
  );
});
