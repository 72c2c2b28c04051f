import assert from "node:assert/strict";
import fc from "fast-check";
import { encodeText } from "../base/text.ts";
import type { WireMessage } from "./json_rpc_message.ts";
import { DEEPEST, LONGEST_MESSAGE, MOST_ESCAPES, MOST_MEMBERS, MOST_META } from "./message_bounds.ts";
import { MessageReader, parseBounded, readWireMessage, textLines } from "./message_reader.ts";

/** The message of a text that comes in parts of this size. */
function readInParts(text: string | Uint8Array, size: number): WireMessage {
  const reader = new MessageReader();
  const bytes = typeof text === "string" ? encodeText(text) : text;
  const part = new Uint8Array(Math.min(size, bytes.length));
  let at = 0;
  for (; at + size < bytes.length; at += size) {
    part.set(bytes.subarray(at, at + size));
    reader.push(part);
  }
  return reader.end(bytes.subarray(at));
}

/** Its parameters are these. */
function request(params: string): string {
  return `{"jsonrpc":"2.0","method":"x","params":${params},"id":7}`;
}

function nested(depth: number): string {
  return '{"1":'.repeat(depth) + "1" + "}".repeat(depth);
}

/** As many members as that, with the ones of the request itself. */
function listOf(members: number): string {
  return `{"a":[${Array(members - 5).fill("1").join(",")}]}`;
}

Deno.test("C2 a message is the same however its bytes come, and characters that are cut in two are whole", () => {
  const texts = ["", " ", "{", "[]", "null", "\ufeff{}", request('{"a":"grüße 💚 \\ud83d"}'), request(nested(400))];
  const broken = [Uint8Array.of(0x22, 0xff, 0x22), Uint8Array.of(0x22, 0xe2, 0x82), encodeText("\ud800")];
  for (const text of [...texts.map(encodeText), ...broken]) {
    const whole = readWireMessage(text);
    for (const size of [1, 2, 3, 64]) assert.deepStrictEqual(readInParts(text, size), whole);
  }
  const long = `{"a":"${"ü💚".repeat(40_000)}"}`;
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 70_000 }), (size) => {
      const read = readInParts(request(long), size);
      assert.deepStrictEqual(read.kind === "request" && read.message, JSON.parse(request(long)));
    }),
    { numRuns: 20 },
  );
});

Deno.test("C2 a message beyond a bound is refused under its id with the bound, and the largest within it is read", () => {
  const escapes = (count: number) => `{"a":"${"\\n".repeat(count)}"}`;
  const text = (length: number) => `{"a":"${"x".repeat(length - request('{"a":""}').length)}"}`;
  const rows: readonly (readonly [within: string, beyond: string, excess: string, limit: string])[] = [
    [listOf(MOST_MEMBERS), listOf(MOST_MEMBERS + 1), "members", `${MOST_MEMBERS} keys and list items`],
    [nested(DEEPEST - 1), nested(DEEPEST), "depth", "500 objects and lists inside each other"],
    [nested(DEEPEST - 1), nested(100_000), "depth", "500 objects and lists inside each other"],
    [escapes(MOST_ESCAPES), escapes(MOST_ESCAPES + 1), "escapes", `${MOST_ESCAPES} escaped characters`],
    [text(LONGEST_MESSAGE), text(LONGEST_MESSAGE + 1), "length", "16 MiB"],
  ];
  for (const [within, beyond, excess, limit] of rows) {
    const whole = encodeText(request(within));
    const refused = encodeText(request(beyond));
    for (const size of [1_000, Infinity]) {
      const read = readInParts(whole, size);
      assert.deepStrictEqual(read.kind === "request" && read.id, 7, limit);
      assert.deepStrictEqual(readInParts(refused, size), {
        kind: "invalid",
        id: 7,
        code: -32600,
        problem: `Invalid request: the message has more than ${limit}, the limit`,
        meantAs: "request",
        excess,
      });
    }
  }
});

Deno.test("C2 parameters whose _meta holds very much are refused, at any level", () => {
  const meta = (keys: number) => Object.fromEntries(Array.from({ length: keys }, (_, at) => [`k${at}`, at]));
  const problemOf = (value: object) => {
    const read = readWireMessage(encodeText(request(JSON.stringify({ _meta: value }))));
    return read.kind === "invalid" ? read.problem : read.kind;
  };
  const beyond = 'Invalid request: "params._meta" has more than 1000 keys and list items, the limit';
  const rows = [meta(MOST_META), meta(MOST_META + 1), { in: [meta(MOST_META - 2)] }, { in: [meta(MOST_META - 1)] }];
  assert.deepStrictEqual(rows.map(problemOf), ["request", beyond, "request", beyond]);
});

Deno.test("C2 of a message beyond a bound it is known what it was meant as, before its end where it says so", () => {
  const many = listOf(MOST_MEMBERS + 6);
  const rows: readonly (readonly [text: string, id: unknown, meantAs: string])[] = [
    [`{"jsonrpc":"2.0","id":"a","result":${many}`, "a", "answer"],
    [`{"error":{"data":${many}},"id":7,"jsonrpc":"2.0"}`, 7, "answer"],
    [`{"jsonrpc":"2.0","method":"x","params":${many}`, null, "notification"],
    [`[${many},`, null, "request"],
    ["[".repeat(1_000_000), null, "request"],
    [`{"result":${many},"id":9007199254740993}`, null, "answer"],
  ];
  for (const [text, id, meantAs] of rows) {
    const reader = new MessageReader();
    reader.push(encodeText(text));
    const { excessive } = reader;
    assert.deepStrictEqual([excessive?.id, excessive?.meantAs], [id, meantAs], text.slice(0, 60));
  }
});

Deno.test("C2 JSON that stands in a text of a message has the bounds of one", () => {
  const rows: readonly (readonly [text: string, problem: RegExp | undefined])[] = [
    [listOf(MOST_MEMBERS), undefined],
    [listOf(MOST_MEMBERS + 6), /^it has more than 20000 keys and list items$/],
    [nested(DEEPEST), undefined],
    [nested(DEEPEST + 1), /^it has more than 500 objects and lists inside each other$/],
    ["{", /JSON/],
  ];
  for (const [text, problem] of rows) {
    const read = parseBounded(text);
    if (problem === undefined) assert.ok(read.ok);
    else assert.match(read.ok ? "" : read.problem, problem);
  }
});

function split(chunks: Iterable<Uint8Array>, longestLine: number): string[] {
  const splitter = textLines(longestLine);
  const found: string[] = [];
  for (const chunk of chunks) {
    for (const line of splitter.push(chunk)) found.push(line ?? "<too long>");
    chunk.fill(0);
  }
  const isOpen = splitter.begun !== undefined;
  const rest = splitter.end();
  if (isOpen) found.push(rest ?? "<too long>");
  return found;
}

Deno.test("C2 LineSplitter finds the same lines however the bytes arrive, and leaves out only those that are too long", () => {
  const line = fc.string({ unit: fc.constantFrom("a", "ü", "😀"), maxLength: 12 });
  fc.assert(fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 20 })), (lines, sizes) => {
    const bytes = new TextEncoder().encode(lines.map((one) => `${one}\n`).join(""));
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < bytes.length;) {
      const size = sizes.length === 0 ? bytes.length : sizes[chunks.length % sizes.length] ?? 1;
      chunks.push(bytes.slice(at, at + size));
      at += size;
    }
    const expected = lines.map((one) => new TextEncoder().encode(one).length > 20 ? "<too long>" : one);
    assert.deepStrictEqual(split(chunks, 20), expected);
  }));
});

Deno.test("C2 LineSplitter gives the last line without a newline at the end", () => {
  assert.deepStrictEqual(split([new TextEncoder().encode("a\nb")], 10), ["a", "b"]);
  assert.deepStrictEqual(split([new TextEncoder().encode("a\n")], 10), ["a"]);
  assert.deepStrictEqual(split([new TextEncoder().encode("far too long")], 5), ["<too long>"]);
});
