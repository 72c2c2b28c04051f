import assert from "node:assert/strict";
import fc from "fast-check";
import { concatenate } from "../../base/bytes.ts";
import { encodeText } from "../../base/text.ts";
import { nameBytes, optRecord, queryBytes, type QueryParts } from "./_support/queries.ts";
import { readQuery } from "./read_query.ts";

/** A name of labels with any bytes, one for each character. */
function labelled(...labels: readonly string[]): Uint8Array {
  const parts = labels.map((label) => [label.length, ...Array.from(label, (character) => character.charCodeAt(0))]);
  return Uint8Array.from([...parts.flat(), 0]);
}

function faultOf(parts: QueryParts): string | undefined {
  return readQuery(queryBytes(parts))?.fault;
}

Deno.test("S30 a query is read with its name in small letters and its question as it came", () => {
  assert.deepStrictEqual(readQuery(queryBytes({ name: "GitHub.cOm", type: 28 })), {
    id: 0x1234,
    repeated: 0x0100,
    isRecursive: true,
    question: concatenate([nameBytes("GitHub.cOm"), Uint8Array.of(0, 28, 0, 1)]),
    name: "github.com",
    shownName: "GitHub.cOm",
    type: 28,
    class: 1,
    extension: undefined,
    fault: undefined,
  });
  const extended = readQuery(queryBytes({ rest: optRecord({ flags: 0x8000 }) }));
  assert.deepStrictEqual([extended?.fault, extended?.extension?.wantsSignatures], [undefined, true]);
});

Deno.test("S30 a query that two programs could read differently is at fault", () => {
  const pointer = concatenate([Uint8Array.of(3), encodeText("www"), Uint8Array.of(0xc0, 12)]);
  const faults = {
    "two questions": faultOf({ counts: [2, 0, 0, 0], rest: concatenate([nameBytes("x"), Uint8Array.of(0, 1, 0, 1)]) }),
    "no question": faultOf({ counts: [0, 0, 0, 0] }),
    "an answer": faultOf({ counts: [1, 1, 0, 0] }),
    "an authority": faultOf({ counts: [1, 0, 1, 0] }),
    "a compressed name": faultOf({ name: pointer }),
    "a pointer to itself": faultOf({ name: Uint8Array.of(0xc0, 12) }),
    "an extended label": faultOf({ name: concatenate([Uint8Array.of(0x41), new Uint8Array(65), Uint8Array.of(0)]) }),
    "a name without an end": faultOf({ name: Uint8Array.of(3, 119, 119, 119) }),
    "a name of 256 bytes": faultOf({ name: nameBytes(Array(4).fill("a".repeat(62)).join(".") + ".aa") }),
    "bytes behind it": faultOf({ counts: [1, 0, 0, 0], rest: Uint8Array.of(0) }),
    "two OPT records": faultOf({ counts: [1, 0, 0, 2], rest: concatenate([optRecord(), optRecord()]) }),
    "two OPT records of which one is there": faultOf({ counts: [1, 0, 0, 2], rest: optRecord() }),
    "an OPT record that is cut": faultOf({ rest: optRecord().subarray(0, -1) }),
    "another record": faultOf({ rest: concatenate([nameBytes(""), Uint8Array.of(0, 250, 0, 255, 0, 0, 0, 0, 0, 0)]) }),
    "an update": faultOf({ flags: 5 << 11 }),
    "EDNS of version 1": faultOf({ rest: optRecord({ version: 1 }) }),
  };
  const { "an update": update, "EDNS of version 1": version, ...others } = faults;
  assert.deepStrictEqual([update, version], ["NOTIMP", "BADVERS"]);
  assert.deepStrictEqual(Object.entries(others).filter(([, fault]) => fault !== "FORMERR"), []);
  const longest = readQuery(queryBytes({ name: nameBytes(Array(4).fill("a".repeat(62)).join(".") + ".a") }));
  assert.deepStrictEqual([longest?.fault, longest?.name?.length], [undefined, 253]);
});

Deno.test("S30 a query outlives the memory that it was read from", () => {
  const message = queryBytes();
  const query = readQuery(message);
  message.fill(0);
  assert.deepStrictEqual(query, readQuery(queryBytes()));
});

Deno.test("S30 what is an answer, or has no whole header, gets no answer", () => {
  assert.strictEqual(readQuery(queryBytes({ flags: 0x8180 })), undefined);
  assert.strictEqual(readQuery(queryBytes().subarray(0, 11)), undefined);
  assert.strictEqual(readQuery(new Uint8Array(0)), undefined);
});

Deno.test("S30 a name with a byte that no host name has is not taken for another name", () => {
  const shown = (name: Uint8Array) => {
    const query = readQuery(queryBytes({ name }));
    return [query?.fault, query?.name, query?.shownName];
  };
  assert.deepStrictEqual(shown(labelled("github", "com\0", "evil")), [undefined, undefined, "github.com\\000.evil"]);
  assert.deepStrictEqual(shown(labelled("github.com")), [undefined, undefined, "github\\046com"]);
  assert.deepStrictEqual(shown(labelled("a\x1b[2J", "com")), [undefined, undefined, "a\\027\\0912J.com"]);
  assert.deepStrictEqual(shown(labelled("b\xfccher", "de")), [undefined, undefined, "b\\252cher.de"]);
  assert.deepStrictEqual(shown(labelled("*", "npmjs", "org")), [undefined, undefined, "*.npmjs.org"]);
  assert.deepStrictEqual(shown(labelled("\xe2\x84\xaaelvin", "com"))[1], undefined);
  assert.deepStrictEqual(shown(labelled("_acme-challenge", "x--y-", "com"))[1], "_acme-challenge.x--y-.com");
  assert.deepStrictEqual(shown(labelled()), [undefined, "", ""]);
});

Deno.test("S30 no bytes make the reader throw or read beyond their end", () => {
  const anyBytes = fc.uint8Array({ maxLength: 700 });
  const changed = fc.tuple(fc.nat(), fc.nat(255), fc.nat()).map(([at, byte, end]) => {
    const message = queryBytes({ rest: optRecord() });
    message[at % message.length] = byte;
    return message.subarray(0, 12 + end % (message.length - 11));
  });
  fc.assert(
    fc.property(fc.oneof(anyBytes, changed), (message) => {
      const query = readQuery(message);
      if (query === undefined) return;
      assert.strictEqual(query.id, (message[0] ?? 0) * 256 + (message[1] ?? 0));
      assert.ok(query.question.length <= 259);
      if (query.name !== undefined) assert.match(query.name, /^[a-z0-9._-]{0,253}$/);
      assert.match(query.shownName, /^[ -~]*$/);
    }),
    { numRuns: 5000 },
  );
});
