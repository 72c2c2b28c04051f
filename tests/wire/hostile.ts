/** Bytes that are hard to read, over stdio and HTTP: each gets the right answer, and the server lives on (C2, T6, T7). */
import assert from "node:assert/strict";
import { toolAnswer } from "../_support/json_rpc.ts";
import { BOTH_WAYS, HttpWire, NEWEST, shellArguments, StdioWire } from "./wires.ts";

const DEEP = 100_000;
const LIST = "[".repeat(DEEP) + "]".repeat(DEEP);
const OBJECT = '{"a":'.repeat(DEEP) + "1" + "}".repeat(DEEP);
const LONG = "x".repeat(DEEP);
const COMPLETED = { ref: { type: "ref/prompt", name: LONG }, argument: { name: "x", value: "" } };
/** One more than the largest whole number that JSON keeps. */
const LARGE = "9007199254740993";

/** What was sent, and the answer: its id, and its code, `0` for a result. */
type Row = readonly [what: string, bytes: string | Uint8Array, id: string | number | null, code: number];

/** The bytes of a text whose characters are bytes. */
function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function ping(id: string, more = ""): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"ping"${more}}`;
}

function call(id: number, args: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"sandboxed_shell","arguments":${args}}}`;
}

function asked(id: number, method: string, params: object): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

/** The same for both ways; one message each, without what ends a line. */
const ROWS: readonly Row[] = [
  ["nothing but a brace", "{", null, -32700],
  ["two messages at once", ping("1") + ping("2"), null, -32700],
  ["a comment", `// x\t${ping("1")}`, null, -32700],
  ["NaN", ping("NaN"), null, -32700],
  ["a NUL", `${ping("1")}\0`, null, -32700],
  ["invalid UTF-8", bytesOf(ping("1", ',"params":{"x":"\xff"}')), null, -32700],
  ["UTF-8 that is too long", bytesOf(ping("1", ',"params":{"x":"\xc0\x80"}')), null, -32700],
  ["half of a character", bytesOf(ping("1", ',"params":{"x":"\xe2\x82"}')), null, -32700],
  ["a surrogate as UTF-8", bytesOf(ping("1", ',"params":{"x":"\xed\xa0\x80"}')), null, -32700],
  ["UTF-16", bytesOf("\xff\xfe{\0}\0"), null, -32700],
  ["a byte order mark", `\ufeff${ping("3")}`, 3, 0],
  ["blanks around", ` \t${ping("4")}\t `, 4, 0],
  ["an empty batch", "[]", null, -32600],
  ["a batch of one", `[${ping("5")}]`, null, -32600],
  ["a batch of a thousand", `[${Array(1000).fill(ping("5")).join(",")}]`, null, -32600],
  [
    "keys given twice: the last counts",
    '{"jsonrpc":"1.0","id":1,"method":"no","jsonrpc":"2.0","id":6,"method":"ping"}',
    6,
    0,
  ],
  ["a number", "7", null, -32600],
  ["null", "null", null, -32600],
  ["an unknown member", ping("7", ',"extra":1'), 7, -32600],
  ["parameters in a list", ping("8", ',"params":[]'), 8, -32600],
  ["a prototype", ping("9", ',"params":{"__proto__":{"x":1},"constructor":{"prototype":{}}}'), 9, 0],
  ["a method of every object", '{"jsonrpc":"2.0","id":10,"method":"toString"}', 10, -32601],
  ["id null", ping("null"), null, -32600],
  ["id true", ping("true"), null, -32600],
  ["id in a list", ping("[1]"), null, -32600],
  ["an id with a fraction", ping("1.5"), 1.5, -32600],
  ["an id that is written with an exponent", ping("1e2"), 100, 0],
  ["an id that loses a digit: not echoed as another one", ping(LARGE), null, -32600],
  ["an id beyond all numbers", ping("1e400"), null, -32600],
  ["an id of half a surrogate pair", ping('"\\ud800"'), "\ud800", 0],
  ["a token that loses a digit", ping("11", `,"params":{"_meta":{"progressToken":${LARGE}}}`), 11, -32600],
  ["parameters that nest a lot", ping("12", `,"params":{"a":${"[".repeat(400) + "]".repeat(400)}}`), 12, 0],
  ["deep parameters", ping("12", `,"params":{"a":${LIST}}`), 12, -32600],
  ["deep objects", ping("13", `,"params":${OBJECT}`), 13, -32600],
  ["a deep end that is missing", ping("14", `,"params":${'{"a":'.repeat(DEEP)}`), 14, -32600],
  ["a deep list", LIST, null, -32600],
  ["a deep id", ping(LIST), null, -32600],
  ["a deep _meta", ping("15", `,"params":{"_meta":{"a":${LIST}}}`), 15, -32600],
  ["deep arguments", call(16, `{"command":${LIST}}`), 16, -32600],
  ["a long cursor", asked(17, "tools/list", { cursor: LONG }), 17, -32602],
  ["a long cursor of resources", asked(18, "resources/list", { cursor: LONG }), 18, -32602],
  ["a long cursor of tasks", asked(19, "tasks/list", { cursor: LONG }), 19, -32602],
  ["a long level", asked(20, "logging/setLevel", { level: LONG }), 20, -32602],
  ["a long address", asked(21, "resources/read", { uri: LONG }), 21, -32002],
  ["a long address of ours", asked(22, "resources/read", { uri: `ahma://operations?${LONG}` }), 22, -32602],
  ["a long name", asked(23, "tools/call", { name: LONG, arguments: {} }), 23, -32602],
  ["a long task", asked(24, "tasks/get", { taskId: LONG }), 24, -32602],
  ["a long reference", asked(25, "completion/complete", COMPLETED), 25, -32602],
  ["a long method", asked(26, LONG, {}), 26, -32601],
  ["a long member", `{"jsonrpc":"2.0","id":27,"method":"ping","${LONG}":1}`, 27, -32600],
  ["long arguments", call(28, `{"command":["${LONG}"]}`), 28, 0],
];

/** Messages are read before anything is known of their era. */
const SIZES = { stdio: NEWEST, HTTP: "2025-11-25" } as const;

/** Errors stay short, whatever is said about. */
const LONGEST_MESSAGE = 1_000;

for (const { way, tests } of BOTH_WAYS) {
  const testLegacy = tests["2025-11-25"];

  testLegacy(
    `C2 C3 H8 each message that is hard to read gets its answer, and the server lives on, over ${way}`,
    async (_, wire) => {
      for (const [what, bytes, id, code] of ROWS) {
        const { error, ...rest } = await wire.exchange(bytes);
        assert.deepStrictEqual([what, rest.id, error?.code ?? 0], [what, id, code], error?.message);
        assert.ok((error?.message ?? "").length < LONGEST_MESSAGE, what);
      }
      assert.match((await wire.shell("echo alive")).text, /alive/);
    },
  );

  testLegacy(`C2 characters that reads cut in two arrive whole, over ${way}`, async (_, wire) => {
    const text = "grüße 💚 \u2028";
    const params = { name: "sandboxed_shell", arguments: shellArguments("cat", { stdin: text }) };
    const bytes = new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", id: "cut", method: "tools/call", params }));
    const answer = await wire.exchange(...Array.from(bytes, (byte) => Uint8Array.of(byte)));
    assert.ok(toolAnswer(answer).text.startsWith(text));
  });

  testLegacy(
    `T6 T7 whole numbers arrive as they were sent, or are refused with the reason, over ${way}`,
    async (_, wire) => {
      const ask = async (args: string) =>
        toolAnswer(
          await wire.exchange(
            `{"jsonrpc":"2.0","id":"n","method":"tools/call","params":{"name":"say","arguments":${args}}}`,
          ),
        );
      for (const number of ["9007199254740991", "-9007199254740991", "0", "4503599627370497"]) {
        const { text } = await ask(`{"count":${number},"ratio":${number},"many":[${number}]}`);
        assert.match(text, new RegExp(`^--count ${number} --ratio ${number} --many ${number}\\n`));
      }
      const lossy = [
        `{"count":${LARGE}}`,
        `{"ratio":-${LARGE}}`,
        `{"many":[1,${LARGE}]}`,
        '{"count":1e21}',
        '{"count":1e400}',
      ];
      for (const args of lossy) {
        const { isError, text } = await ask(args);
        assert.deepStrictEqual([isError, /is unknown|No such/.test(text)], [true, false], text);
        assert.match(text, /lose digits|expected a whole number/, args);
      }
    },
  );

  testLegacy(`T7 half a surrogate pair in an argument is refused, whole ones arrive, over ${way}`, async (_, wire) => {
    for (const half of ["\\ud83d", "\\udc9a", "\\udc9a\\ud83d"]) {
      const { isError, text } = toolAnswer(await wire.exchange(call(0, `{"command":"echo ${half}"}`)));
      assert.deepStrictEqual([isError, /half a surrogate pair/.test(text)], [true, true], text);
    }
    assert.match((await wire.shell("echo '💚' | od -An -tx1")).text, /f0 9f 92 9a 0a/, "the control");
  });

  const era = SIZES[way];
  tests[era](
    `C2 H8 a message of 15 MiB is served and one of 17 MiB refused in ${era}, over ${way}`,
    async (_, wire) => {
      const size = 15 << 20;
      const answer = await wire.shell("wc -c", { stdin: "x".repeat(size) });
      assert.match(answer.text, new RegExp(`^\\s*${size}$`, "m"));
      if (wire instanceof StdioWire) {
        const { error } = await wire.exchange(pingOf(17));
        assert.ok([-32700, -32600].includes(error?.code ?? 0), JSON.stringify(error));
      }
      if (wire instanceof HttpWire) await assertSizesOverHttp(wire);
      assert.notEqual((await wire.request("tools/list")).result, undefined);
    },
  );
}

function pingOf(mebibytes: number): string {
  return ping('"large"', `,"params":{"x":"${"x".repeat(mebibytes << 20)}"}`);
}

/** The length of a body is told before, or it is not. */
async function assertSizesOverHttp({ server, client }: HttpWire): Promise<void> {
  const chunked = (text: string) =>
    ReadableStream.from([text.slice(0, 1000), text.slice(1000)]).pipeThrough(new TextEncoderStream());
  const bodies: readonly BodyInit[] = [chunked(pingOf(15)), pingOf(17), chunked(pingOf(17))];
  const seen: unknown[] = [];
  for (const body of bodies) {
    const headers = { ...client?.headers, "content-type": "application/json", accept: "application/json" };
    const response = await fetch(server.url, { method: "POST", headers, body });
    seen.push([response.status, (await response.json()).error?.code]);
  }
  assert.deepStrictEqual(seen, [[200, undefined], [413, -32000], [413, -32000]]);
}
