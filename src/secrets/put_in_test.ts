import assert from "node:assert/strict";
import { type HostSecret, putIn } from "./put_in.ts";
import type { SecretUse } from "./binding.ts";

const PLACEHOLDER = "ahma_secret_0001";
const VALUE = "the-true-value";
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

Deno.test("S33 putIn() tells what the answer may not show", () => {
  const ready = putIn({ method: "GET", target: "/" }, [["authorization", `Basic ${btoa(`a:${PLACEHOLDER}`)}`]], [
    secret(ANY),
  ]);
  assert.ok(!("refused" in ready));
  assert.deepEqual([ready.used, [...ready.hidden].sort()], [["TOKEN"], [btoa(`a:${VALUE}`), VALUE].sort()]);
  const without = putIn({ method: "GET", target: "/" }, [["authorization", "Bearer own"]], [secret(ANY)]);
  assert.deepEqual(without, { headers: [["authorization", "Bearer own"]], used: [], hidden: [] });
});

Deno.test("S33 putIn() refuses a secret in a request that no use permits, however its path is written", () => {
  const uses: readonly SecretUse[] = [{ kind: "requests", method: "GET", path: "/repos/me/*" }, { kind: "git" }];
  const ask = (method: string, target: string) =>
    sent("authorization", PLACEHOLDER, { method, target, uses: [...uses] }) === VALUE;
  const permitted = [
    ["GET", "/repos/me/"],
    ["GET", "/repos/me/a/b?x=../y"],
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
    ["GET", "/repos/me/a?_method=DELETE"],
    ["GET", "/a/b.git/git-receive-pack"],
    ["POST", "/user/keys?x=/git-receive-pack"],
    ["POST", "/user/keys#/git-receive-pack"],
    ["GET", "/user?x=/info/refs?service=git-upload-pack"],
  ] as const;
  for (const [method, target] of refused) assert.ok(!ask(method, target), `${method} ${target}`);
  const overridden = putIn({ method: "GET", target: "/repos/me/a" }, [["authorization", PLACEHOLDER], [
    "X-HTTP-Method-Override",
    "DELETE",
  ]], [secret(...uses)]);
  assert.ok("refused" in overridden);
});
