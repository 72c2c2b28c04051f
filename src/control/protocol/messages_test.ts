import assert from "node:assert/strict";
import { givenLine, readAnswer, readAttach, readEvent, readGiven, readRequest, requestLine } from "./messages.ts";

const ATTACH = { request: "attach", target: "dev", size: { columns: 80, rows: 24 } } as const;

Deno.test("X24 a request is read as it was written, and another version is told apart", () => {
  const read = readRequest(requestLine("token", ATTACH).trimEnd());
  assert.ok(read.ok);
  assert.deepStrictEqual([read.value.name, read.value.token], ["attach", "token"]);
  assert.deepStrictEqual(readAttach(read.value), { ok: true, value: { target: "dev", size: ATTACH.size } });
  for (
    const [line, problem] of [
      ["{", /not a JSON object/],
      ["[]", /not a JSON object/],
      ['{"ahma":1,"request":"list"}', /has no token/],
      ['{"ahma":2,"token":"","request":"list"}', /has version 2, and this server knows version 1: use the ahma_mcp/],
      [
        '{"ahma":1,"token":"","request":"toString"}',
        /"toString" is unknown: known are list, attach, answer, take_back/,
      ],
    ] as const
  ) {
    const refused = readRequest(line);
    assert.match(refused.ok ? "" : refused.problem, problem);
  }
});

Deno.test("X24 what a person gives is read as it was written, and nothing else is taken", () => {
  const input = { kind: "input", bytes: new Uint8Array([0, 29, 255]) } as const;
  for (const given of [input, { kind: "size", size: ATTACH.size }, { kind: "end" }] as const) {
    assert.deepStrictEqual(readGiven(givenLine(given).trimEnd()), { ok: true, value: given });
  }
  for (
    const line of ["", "7", '{"input":"?"}', '{"size":{"columns":0,"rows":1}}', '{"size":{"columns":1e9,"rows":1}}']
  ) {
    assert.ok(!readGiven(line).ok, line);
  }
  assert.strictEqual(readEvent('{"event":7}'), undefined);
});

Deno.test("S35 the answer to a question is read as it was written, and another word is told", () => {
  const read = (request: object) => {
    const line = readRequest(JSON.stringify({ ahma: 1, token: "", request: "answer", ...request }));
    return line.ok ? readAnswer(line.value) : line;
  };
  assert.deepStrictEqual(read({ question: "q_1", answer: "session" }), {
    ok: true,
    value: { question: "q_1", answer: "session" },
  });
  for (
    const [request, problem] of [
      [{ answer: "no" }, /names no question/],
      [{ question: 1, answer: "no" }, /names no question/],
      [{ question: "q_1" }, /The answer missing is unknown: known are once, session, project, no/],
      [{ question: "q_1", answer: "toString" }, /"toString" is unknown/],
    ] as const
  ) {
    const refused = read(request);
    assert.match(refused.ok ? "" : refused.problem, problem);
  }
});
