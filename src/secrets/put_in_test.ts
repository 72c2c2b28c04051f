import assert from "node:assert/strict";
import { formsOf, type HostSecret, putIn } from "./put_in.ts";
import type { SecretUse } from "./binding.ts";

const PLACEHOLDER = "ahma_secret_0001";
// Replacements of strings would read `$$` and `$&` as something else.
const VALUE = "the-$$-true-$&-value";
const ANY: SecretUse = { kind: "any" };

function secret(...uses: readonly SecretUse[]): HostSecret {
  return { name: "TOKEN", placeholder: PLACEHOLDER, value: VALUE, uses };
}

function sent(header: string, value: string, { method = "GET", target = "/", uses = [ANY] } = {}): string {
  const ready = putIn({ method, target }, [[header, value]], [secret(...uses)]);
  return "refused" in ready ? ready.refused : ready.headers.map(([, text]) => text).join();
}

Deno.test("S33 putIn() puts a secret into headers that carry credentials, and into no other", () => {
  const carry = [
    "authorization",
    "Authorization",
    "private-token",
    "x-api-key",
    "x-goog-api-key",
    "apikey",
    "token",
    "x-auth",
  ];
  for (const name of carry) assert.equal(sent(name, `Bearer ${PLACEHOLDER}`), `Bearer ${VALUE}`, name);
  for (const name of ["x-note", "cookie", "user-agent", "x-amz-meta-token", "x-goog-meta-key", "referer"]) {
    assert.equal(sent(name, PLACEHOLDER), PLACEHOLDER, name);
  }
});

Deno.test("S33 putIn() looks into basic credentials, and leaves alone what is none", () => {
  const basic = (text: string) => `Basic ${btoa(text)}`;
  assert.equal(sent("authorization", basic(`me:${PLACEHOLDER}`)), basic(`me:${VALUE}`));
  assert.equal(sent("authorization", basic("me:other")), basic("me:other"));
  for (const text of ["Basic ", "Basic !", "Basic gA==", "Basic =", `basic ${btoa("a")}x`]) {
    assert.equal(sent("authorization", text), text);
  }
});

Deno.test("S33 putIn() puts no secret where servers keep or show what they get", () => {
  for (const name of ["idempotency-key", "surrogate-key", "sec-websocket-key", "x-csrf-token", "x-cache-key"]) {
    assert.equal(sent(name, PLACEHOLDER), PLACEHOLDER, name);
  }
});

Deno.test("S33 putIn() tells what the answer may not show, also where the request has no secret", () => {
  const ask = (value: string) => {
    const ready = putIn({ method: "GET", target: "/" }, [["authorization", value]], [secret(ANY)]);
    return "refused" in ready ? [] : [[...ready.used], [...ready.hidden].sort()];
  };
  const forms = formsOf(VALUE);
  assert.deepEqual(ask(`Basic ${btoa(`a:${PLACEHOLDER}`)}`), [["TOKEN"], [btoa(`a:${VALUE}`), ...forms].sort()]);
  assert.deepEqual(ask("Bearer own"), [[], [...forms].sort()]);
  // What a command adds is no part of it: hidden alone it would hide the secret from what looks for it.
  assert.deepEqual(ask(`${PLACEHOLDER} e`), [["TOKEN"], [...forms].sort()]);
});

Deno.test("S33 putIn() asks for whole answers to requests with secrets, since parts could each show a part of one", () => {
  const names = (value: string) => {
    const headers = ["authorization", "range", "if-range"].map((name) => [name, value] as const);
    const ready = putIn({ method: "GET", target: "/" }, headers, [secret(ANY)]);
    return "refused" in ready ? [] : ready.headers.map(([name]) => name);
  };
  assert.deepEqual(names(PLACEHOLDER), ["authorization"]);
  assert.deepEqual(names("own"), ["authorization", "range", "if-range"]);
});

Deno.test("S33 putIn() refuses a secret in a request that no use permits, however its path is written", () => {
  const uses: readonly SecretUse[] = [{ kind: "requests", method: "GET", path: "/repos/me/*" }, { kind: "git" }];
  const ask = (method: string, target: string) =>
    sent("authorization", PLACEHOLDER, { method, target, uses: [...uses] }) === VALUE;
  const permitted = [
    ["GET", "/repos/me/"],
    ["GET", "/repos/me/a/b?x=../y"],
    ["GET", "/repos/me/@scope/a%20b-%c3%a9~1.0.tar.gz?method=x"],
    ["GET", "/a/b.git/info/refs?service=git-receive-pack"],
    ["POST", "/a/b.git/git-receive-pack"],
    ["POST", "/a/b.git/info/lfs/objects/batch"],
  ] as const;
  for (const [method, target] of permitted) assert.ok(ask(method, target), `${method} ${target}`);
  const refused = [
    ["POST", "/repos/me/a"],
    ["GET", "/repos/other/a"],
    ["GET", "/repos/me"],
    ["GET", "/x/repos/me/a"],
    ["GET", "/repos/me/../other"],
    ["GET", "/repos/me/..;/other"],
    ["GET", "/repos/me/%2e%2e/other"],
    ["GET", "/repos/me/%2E./other"],
    ["GET", "/repos/me/a%2f..%2f..%2fother"],
    ["GET", "/repos/me/..\\other"],
    ["GET", "/repos/me//other"],
    ["GET", "/repos/me/%252e%252e/other"],
    ["GET", "/repos/me/%c0%ae%c0%ae/other"],
    ["GET", "/repos/me/%u002e%u002e/other"],
    ["GET", "/repos/me/..%3f/other"],
    ["GET", "/repos/me/..%3b/other"],
    ["GET", "/repos/me/..%20/other"],
    ["GET", "/repos/me/%ef%bc%8e%ef%bc%8e/other"],
    ["GET", "/repos/me/a%ef%bc%8f..%e2%80%a5"],
    ["GET", "/repos/me/a%0d%0aX"],
    ["GET", '/repos/me/a"{b}'],
    ["GET", "/repos/me/a?_method=DELETE"],
    ["GET", "/repos/me/a?_%6dethod=DELETE"],
    ["GET", "/repos/me/a?x=1;_method=DELETE"],
    ["GET", "/repos/me/a?$httpMethod=DELETE"],
    ["GET", "/repos/me/a?X-HTTP-Method-Override=DELETE"],
    ["GET", "/a/b.git/git-receive-pack"],
    ["POST", "/user/keys?x=/git-receive-pack"],
    ["POST", "/user/keys#/git-receive-pack"],
    ["GET", "/user?x=/info/refs?service=git-upload-pack"],
  ] as const;
  for (const [method, target] of refused) assert.ok(!ask(method, target), `${method} ${target}`);
  const others = [
    "X-HTTP-Method-Override",
    "X_HTTP_Method_Override",
    "X-Original-URL",
    "X-Rewrite-Url",
    "X-Forwarded-Uri",
  ];
  for (const name of others) {
    const headers = [["authorization", PLACEHOLDER], [name, "DELETE"]] as const;
    assert.ok("refused" in putIn({ method: "GET", target: "/repos/me/a" }, headers, [secret(...uses)]), name);
    assert.ok(!("refused" in putIn({ method: "GET", target: "/" }, headers, [secret(ANY)])), name);
  }
  for (const name of ["Forwarded", "X-Forwarded-Host", "X_Forwarded_Host", "X-Host"]) {
    const headers = [["authorization", PLACEHOLDER], [name, "other.example"]] as const;
    assert.ok("refused" in putIn({ method: "GET", target: "/" }, headers, [secret(ANY)]), name);
  }
});

Deno.test("S33 formsOf() finds a secret as servers write it: in JSON, addresses and base64 at any place", () => {
  const value = 'pass/wo"rd+=&1~?';
  const written = [
    value,
    JSON.stringify({ value }),
    JSON.stringify({ value }).replaceAll("/", "\\/"),
    `/?t=${encodeURIComponent(value)}`,
    ...["", "a", "ab", "user:"].flatMap((before) => {
      const text = btoa(before + value + before);
      return [text, text.replaceAll("+", "-").replaceAll("/", "_")];
    }),
  ];
  for (const text of written) assert.ok(formsOf(value).some((one) => text.includes(one)), text);
  // A token of letters and digits is written in one way but for base64.
  assert.equal(formsOf("ghp0123456789").length, 4);
});
