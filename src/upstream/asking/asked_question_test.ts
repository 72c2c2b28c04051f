import assert from "node:assert/strict";
import { askedQuestion } from "./asked_question.ts";

const SPEC = { name: "srv", sampling: false };

function form(field: string): object {
  return { message: "m", requestedSchema: { type: "object", properties: { [field]: { type: "string" } } } };
}

/** Whether a form may ask for a field of that name. */
function isAsked(field: string): boolean {
  return askedQuestion(SPEC, "elicitation/create", form(field)).ok;
}

Deno.test("O2 a form that asks for a secret by any spelling of its name is refused, and no other", () => {
  const secrets = [
    "password",
    "dbPassword",
    "API_KEY",
    "api-key",
    "access_token",
    "clientSecret",
    "key",
    "PIN",
    "ssh key",
  ];
  const others = ["name", "issue_key", "max_tokens", "tokenCount", "pinned", "keyboard", "primaryKey"];
  assert.deepStrictEqual([...secrets, ...others].filter(isAsked), others);
});

Deno.test("O2 what a server asks is shown under its name and without hidden characters; addresses are https", () => {
  const asked = (params: unknown, spec = SPEC) => askedQuestion(spec, "elicitation/create", params);
  assert.deepStrictEqual(asked({ ...form("a"), message: "Hi\u202e", _meta: { progressToken: 1 } }), {
    ok: true,
    value: { method: "elicitation/create", params: { ...form("a"), message: "[srv] Hi" } },
  });
  assert.deepStrictEqual(asked({ mode: "url", url: "https://example.com", message: "Go", elicitationId: "1" }), {
    ok: true,
    value: {
      method: "elicitation/create",
      params: { mode: "url", url: "https://example.com/", message: "[srv] Go", elicitationId: "srv/1" },
    },
  });
  for (const url of ["http://example.com/", "javascript:alert(1)", "file:///etc/passwd", "x", undefined]) {
    assert.deepStrictEqual(asked({ mode: "url", url, message: "Go" }), {
      ok: false,
      problem: "its address is not an https:// address",
    });
  }
  const unknown = { ...form("a"), mode: "toString" };
  for (
    const params of [
      undefined,
      { message: "m" },
      { ...form("a"), message: 1 },
      unknown,
      form("a\u200b"),
      form("x".repeat(70_000)),
    ]
  ) {
    assert.deepStrictEqual([asked(params).ok], [false]);
  }
  assert.deepStrictEqual([askedQuestion(SPEC, "roots/list", {}).ok], [false]);
  assert.deepStrictEqual([
    askedQuestion({ ...SPEC, sampling: true }, "sampling/createMessage", { messages: [], maxTokens: 1 }).ok,
  ], [
    true,
  ]);
});

Deno.test("O2 a server on a private network may send a person there, and no other server may", () => {
  const allowed = (url: string | undefined, to: string) => {
    const server = { ...SPEC, ...url !== undefined && { url: { text: url, shown: url } } };
    return askedQuestion(server, "elicitation/create", { mode: "url", message: "Go", url: to }).ok;
  };
  const servers = [undefined, "https://mcp.example/mcp", "http://127.0.0.1:3000/mcp", "https://10.0.0.1/mcp"];
  const inside = ["https://localhost:3000/login", "https://10.0.0.2/", "https://intranet/"];
  const asked = servers.map((server) => inside.map((to) => allowed(server, to)));
  assert.deepStrictEqual(asked.map((one) => new Set(one)), [false, false, true, true].map((one) => new Set([one])));
  assert.deepStrictEqual(servers.filter((server) => !allowed(server, "https://example.com/")), []);
});
