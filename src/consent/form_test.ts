import assert from "node:assert/strict";
import fc from "fast-check";
import { ANSWER_TEXTS, answerOf, questionText } from "./form.ts";

const LOGIN = {
  kind: "ssh",
  hostKey: "SHA256:hhh",
  account: "git",
  key: "SHA256:kkk",
  name: "git.test",
  comment: "me`s",
} as const;
const BY = { command: "npm test", tool: "sandboxed_shell", operation: "op_1" };

Deno.test("S35 the question names what is wished, the command, the tool and the operation", () => {
  const tail = "(tool sandboxed_shell, operation op_1)";
  for (
    const [subject, wish] of [
      [{ kind: "network", host: "a.test", port: 443 }, "connect to a.test:443"],
      [{ kind: "read", path: "/opt/fonts" }, 'read "/opt/fonts"'],
      [{ kind: "write", path: "/opt/a\u202eb" }, 'change "/opt/a\\\\u202eb"'],
      [{ kind: "protected", path: "/p/.git/config" }, 'change "/p/.git/config", which is protected'],
      [
        LOGIN,
        'log in as git at git.test, which proved host key SHA256:hhh, with your ssh key "me`s" (SHA256:kkk)'
          .replaceAll("`", "'"),
      ],
      [
        { ...LOGIN, name: "" },
        "log in as git at a host whose name your known_hosts hide, which proved host key SHA256:hhh, with your ssh key " +
        '"me\'s" (SHA256:kkk)',
      ],
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
    const login = questionText({ ...LOGIN, name: path, comment: path }, { ...BY, command });
    assert.match(login, /^`[^`\n\r\u2028\u2029]*` wants to log in as git at [^`\n]*$/);
    assert.ok(text.length < 600 && login.length < 600);
    // deno-lint-ignore no-control-regex -- what must not be shown
    assert.doesNotMatch(text + login, /[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e]/);
  }));
});

Deno.test("S35 each answer has its own text", () => {
  for (const [answer, text] of Object.entries(ANSWER_TEXTS)) assert.equal(answerOf(text), answer);
  assert.equal(answerOf("yes"), undefined);
});
