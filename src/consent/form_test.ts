import assert from "node:assert/strict";
import fc from "fast-check";
import { ANSWER_TEXTS, answerOf, questionText } from "./form.ts";

const BY = { command: "npm test", tool: "sandboxed_shell", operation: "op_1" };

Deno.test("S35 the question names what is wished, the command, the tool and the operation", () => {
  const tail = "(tool sandboxed_shell, operation op_1)";
  for (
    const [subject, wish] of [
      [{ kind: "network", host: "a.test", port: 443 }, "connect to a.test:443"],
      [{ kind: "read", path: "/opt/fonts" }, 'read "/opt/fonts"'],
      [{ kind: "write", path: "/opt/a\u202eb" }, 'change "/opt/a\\\\u202eb"'],
      [{ kind: "protected", path: "/p/.git/config" }, 'change "/p/.git/config", which is protected'],
    ] as const
  ) {
    assert.equal(questionText(subject, BY), `\`npm test\` wants to ${wish} ${tail}`);
  }
});

Deno.test("S35 whatever a command is called, its words stay between the only two backticks, in one short line", () => {
  const texts = fc.string({ unit: "binary", maxLength: 400 });
  fc.assert(fc.property(texts, texts, (command, path) => {
    const text = questionText({ kind: "read", path }, { ...BY, command });
    assert.match(text, /^`[^`\n\r\u2028\u2029]*` wants to read "/);
    assert.ok(text.length < 600);
    // deno-lint-ignore no-control-regex -- what must not be shown
    assert.doesNotMatch(text, /[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e]/);
  }));
});

Deno.test("S35 each answer has its own text", () => {
  for (const [answer, text] of Object.entries(ANSWER_TEXTS)) assert.equal(answerOf(text), answer);
  assert.equal(answerOf("yes"), undefined);
});
