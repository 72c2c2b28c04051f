import { strict as assert } from "node:assert";
import type { AskedClient } from "../../service/questions/question.ts";
import type { ServerSpec } from "../config/server_spec.ts";
import { ActiveCalls } from "./active_calls.ts";
import { ActiveCall, CallQuestions } from "./active_call.ts";

const COMPLETION = { messages: [], maxTokens: 1 };

Deno.test("O2 O6 a server has eight questions open at most, and its methods are told in short", async () => {
  // Of an entry, only these are asked.
  const calls = new ActiveCalls({ name: "srv", sampling: true } as ServerSpec);
  const asked: unknown[] = [];
  const answers = Promise.withResolvers<void>();
  const client = {
    owner: {},
    offers: { sampling: {} },
    ask: async (question: unknown) => {
      asked.push(question);
      await answers.promise;
      return { ok: true, value: { said: 1 } } as const;
    },
  } as unknown as AskedClient;
  const call = new ActiveCall({ client, request: { method: "tools/call", params: {} } }, 60_000);
  await calls.during(call, async () => {
    const asking = Array.from({ length: 20 }, () => calls.answer("sampling/createMessage", COMPLETION));
    await calls.answer(`x\u200b${"y".repeat(10_000)}`, {});
    assert.deepStrictEqual([asked.length, call.refused.length], [8, 13]);
    const told = call.refused.map(({ text }) => text);
    assert.ok(told.every((text) => text.length < 400 && !text.includes("\u200b")), told.at(-1));
    answers.resolve();
    const results = (await Promise.all(asking)).map((answer) => "result" in answer);
    assert.deepStrictEqual(results, Array.from({ length: 20 }, (_, place) => place < 8));
    assert.ok("result" in await calls.answer("sampling/createMessage", COMPLETION));
  });
  call.silence.stop();
});

Deno.test("O2 a person who does not agree twice is asked no more in that call: open questions are taken back", () => {
  const questions = new CallQuestions();
  const open = questions.signal;
  assert.deepStrictEqual([questions.refusal("elicitation/create"), open.aborted], [undefined, false]);
  questions.declined();
  assert.deepStrictEqual([questions.refusal("elicitation/create"), open.aborted], [undefined, false]);
  questions.declined();
  const why = "2 of its questions in this call were not accepted";
  assert.deepStrictEqual([questions.refusal("sampling/createMessage"), open.aborted], [why, true]);
});
