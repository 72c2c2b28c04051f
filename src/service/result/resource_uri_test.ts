import { strict as assert } from "node:assert";
import { operationUri, outputUri, readAddress, readLineRange, toolUri } from "./resource_uri.ts";

function problemOf(uri: string): string | undefined {
  const address = readAddress(uri);
  return address?.ok === false ? address.problem : undefined;
}

Deno.test("C4 readAddress() reads what the makers of addresses write, names with any character included", () => {
  assert.deepStrictEqual(readAddress("ahma://operations"), { ok: true, value: { kind: "operations", offset: 0 } });
  assert.deepStrictEqual(readAddress("ahma://operations?offset=7"), {
    ok: true,
    value: { kind: "operations", offset: 7 },
  });
  assert.deepStrictEqual(readAddress(operationUri("op_1")), { ok: true, value: { kind: "operation", id: "op_1" } });
  assert.deepStrictEqual(readAddress(outputUri("op_1")), {
    ok: true,
    value: { kind: "output", id: "op_1", range: { by: "bytes", offset: 0, limit: 262_144 } },
  });
  assert.deepStrictEqual(readAddress(toolUri("a/b %?ü")), { ok: true, value: { kind: "tool", name: "a/b %?ü" } });
});

Deno.test("C4 readAddress() takes a part by lines or by bytes", () => {
  const rangeOf = (query: string) => {
    const address = readAddress(`ahma://operations/op_1/output?${query}`);
    return address?.ok === true && address.value.kind === "output" ? address.value.range : address;
  };
  assert.deepStrictEqual(rangeOf("lines=7"), { by: "lines", lines: { first: 7, last: 7 }, limit: 262_144 });
  assert.deepStrictEqual(rangeOf("lines=7-9&limit=10"), { by: "lines", lines: { first: 7, last: 9 }, limit: 10 });
  assert.deepStrictEqual(rangeOf("lines=7-"), { by: "lines", lines: { first: 7, last: undefined }, limit: 262_144 });
  assert.deepStrictEqual(rangeOf("lines=-20"), { by: "lines", lines: { fromEnd: 20 }, limit: 262_144 });
  assert.deepStrictEqual(rangeOf("limit=1048576&offset=5"), { by: "bytes", offset: 5, limit: 1_048_576 });
});

Deno.test("C4 readAddress() tells what is not ours from what is ours and makes no sense", () => {
  for (
    const uri of ["", "operations", "file:///operations", "ahma://", "ahma://else", "ahma://tools", "ahma://tools/a/b"]
  ) {
    assert.strictEqual(readAddress(uri), undefined, uri);
  }
  for (const part of ["input", "output/x"]) {
    assert.strictEqual(readAddress(`${operationUri("op_1")}/${part}`), undefined);
  }
  const output = outputUri("op_1");
  assert.strictEqual(problemOf(`${output}?line=1`), '"line" does not exist (parameters: lines, offset, limit)');
  assert.strictEqual(problemOf(`${output}?limit=0`), '"limit" is "0", expected an integer from 1 to 1048576');
  assert.strictEqual(problemOf(`${output}?offset=1e3`), '"offset" is "1e3", expected an integer from 0');
  assert.match(problemOf(`${output}?lines=2-1`) ?? "", /^"lines" is "2-1", expected a range counted from 1/);
  assert.match(problemOf(`${output}?lines=1&offset=0`) ?? "", /exclude each other/);
  assert.strictEqual(problemOf(`${operationUri("op_1")}?x=1`), '"x" does not exist (parameters: none)');
});

Deno.test("C4 readLineRange() refuses what no line has for a number", () => {
  for (const text of ["", "0", "-0", "--1", "1-0", "a", "1.5", "1--2", "9999999999999999"]) {
    assert.deepStrictEqual(readLineRange(text).ok ? text : undefined, undefined);
  }
});
