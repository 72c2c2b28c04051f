import { strict as assert } from "node:assert";
import { corsHeaders, guard, type GuardRules, isLoopback, ownHosts, ownOrigins } from "./request_guard.ts";

const RULES: GuardRules = {
  hosts: ownHosts("127.0.0.1", 3000, ["ahma.example.org"]),
  origins: ownOrigins("127.0.0.1", 3000, ["https://ide.example.org"]),
  token: undefined,
  instance: "this",
};

function ask(method: string, path: string, headers: Record<string, string> = {}, rules = RULES): unknown {
  const all = new Headers({ host: "127.0.0.1:3000", "content-type": "application/json", ...headers });
  const answer = guard({ method, path, headers: all }, rules);
  return typeof answer === "string" ? answer : answer.status;
}

const HOSTS: readonly (readonly [host: string, expected: unknown])[] = [
  ["127.0.0.1:3000", "post"],
  ["localhost:3000", "post"],
  ["LOCALHOST:3000", "post"],
  ["[::1]:3000", "post"],
  ["ahma.example.org", "post"],
  ["127.0.0.1", 403],
  ["127.0.0.1:3001", 403],
  ["localhost.evil.com:3000", 403],
  ["evil.com:3000", 403],
  ["127.0.0.1:3000.evil.com", 403],
  ["127.0.0.2:3000", 403],
  ["", 403],
];
for (const [host, expected] of HOSTS) {
  Deno.test(`H8 Host "${host}"`, () => assert.deepStrictEqual(ask("POST", "/mcp", { host }), expected));
}

const ORIGINS: readonly (readonly [origin: string, expected: unknown])[] = [
  ["http://127.0.0.1:3000", "post"],
  ["http://localhost:3000", "post"],
  ["https://ide.example.org", "post"],
  ["http://localhost", 403],
  ["http://localhost:8080", 403],
  ["http://localhost.evil.com:3000", 403],
  ["http://127.0.0.1:3000.evil.com", 403],
  ["https://localhost:3000", 403],
  ["https://ide.example.org.evil.com", 403],
  ["https://ide.example.org:444", 403],
  ["null", 403],
  ["", 403],
];
for (const [origin, expected] of ORIGINS) {
  Deno.test(`H8 Origin "${origin}"`, () => assert.deepStrictEqual(ask("POST", "/mcp", { origin }), expected));
}

Deno.test("H1 paths and methods", () => {
  const rows = [
    ["GET", "/health", "health"],
    ["HEAD", "/health", "health"],
    ["POST", "/health", 405],
    ["GET", "/mcp/server-card", "card"],
    ["HEAD", "/mcp/server-card", "card"],
    ["POST", "/mcp/server-card", 405],
    ["GET", "/mcp/server-card/", 404],
    ["GET", "/.well-known/mcp/server-card", 404],
    ["POST", "/mcp", "post"],
    ["GET", "/mcp", "get"],
    ["DELETE", "/mcp", "delete"],
    ["OPTIONS", "/mcp", "preflight"],
    ["PUT", "/mcp", 405],
    ["PATCH", "/mcp", 405],
    ["POST", "/mcp/", 404],
    ["POST", "/", 404],
    ["GET", "/.well-known/oauth-protected-resource", 404],
    ["POST", "/MCP", 404],
  ] as const;
  assert.deepStrictEqual(rows.map(([method, path]) => [method, path, ask(method, path)]), rows);
});

Deno.test("H8 a POST is JSON as it is, by its headers", () => {
  const types = [
    "application/json",
    "application/json; charset=utf-8",
    "Application/JSON",
    "text/plain",
    "",
    "application/jsonp",
  ];
  assert.deepStrictEqual(types.map((type) => ask("POST", "/mcp", { "content-type": type })), [
    "post",
    "post",
    "post",
    415,
    415,
    415,
  ]);
  const codings = ["", "identity", "Identity, identity", "gzip", "identity, gzip", "GZIP", "br", "x"];
  const type = "application/json";
  assert.deepStrictEqual(
    codings.map((coding) => ask("POST", "/mcp", { "content-type": type, "content-encoding": coding })),
    ["post", "post", "post", 415, 415, 415, 415, 415],
  );
  assert.strictEqual(ask("GET", "/mcp", { accept: "application/json" }), 406);
  assert.strictEqual(ask("GET", "/mcp", { accept: "text/event-stream" }), "get");
});

Deno.test("H8 with a token, every request of the protocol carries it", () => {
  const rules = { ...RULES, token: "a".repeat(64) };
  const given = [undefined, "Bearer " + "a".repeat(64), "bearer " + "a".repeat(64), "Bearer " + "a".repeat(63)].concat([
    "Bearer " + "a".repeat(65),
    "Bearer " + "b".repeat(64),
    "Bearer ",
    "Basic " + "a".repeat(64),
    "a".repeat(64),
  ]);
  const answers = given.map((authorization) =>
    ask("POST", "/mcp", authorization === undefined ? {} : { authorization }, rules)
  );
  assert.deepStrictEqual(answers, [401, "post", "post", 401, 401, 401, 401, 401, 401]);
  assert.deepStrictEqual(["GET", "DELETE", "OPTIONS"].map((method) => ask(method, "/mcp", {}, rules)), [
    401,
    401,
    "preflight",
  ]);
  assert.strictEqual(ask("GET", "/health", {}, rules), "health");
  assert.strictEqual(ask("POST", "/mcp", { host: "evil.com", authorization: "Bearer " + "a".repeat(64) }, rules), 403);
});

Deno.test("H8 only loopback addresses are local", () => {
  const hosts = [
    "127.0.0.1",
    "127.9.9.9",
    "::1",
    "localhost",
    "0.0.0.0",
    "::",
    "192.168.1.2",
    "127.0.0.1.evil.com",
    "",
  ];
  assert.deepStrictEqual(hosts.map(isLoopback), [true, true, true, true, false, false, false, false, false]);
  assert.deepStrictEqual(corsHeaders(null), {});
  assert.strictEqual(corsHeaders("http://a")["Access-Control-Allow-Origin"], "http://a");
});

Deno.test("H8 guard on port 80 takes the names as clients write them there, without the port", () => {
  const hosts = ownHosts("127.0.0.1", 80, []);
  const missing = ["localhost", "localhost:80", "127.0.0.1"].filter((name) => !hosts.has(name));
  assert.deepStrictEqual(missing, []);
  assert.ok(ownOrigins("127.0.0.1", 80, []).has("http://localhost"));
  assert.ok(!ownHosts("127.0.0.1", 8080, []).has("localhost"));
});

Deno.test("O6 guard() refuses what this server asks itself, whatever else is right, and nothing of another instance", () => {
  const asked = (instance: string) => ask("POST", "/mcp", { "ahma-instance": instance });
  assert.deepStrictEqual([asked("this"), asked("other")], [508, "post"]);
});
