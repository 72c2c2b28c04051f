import assert from "node:assert/strict";
import { dashboardGuard } from "./dashboard_guard.ts";

const RULES = { port: 4000, token: "0123456789abcdef" };
const HEAD = { host: "127.0.0.1:4000", authorization: `Bearer ${RULES.token}` };
const ACTION = { ...HEAD, "ahma-action": "1", "content-type": "application/json" };

/** The route, or the status of the refusal; a header of "" is left out. */
function asked(method: string, path: string, headers: Readonly<Record<string, string>>): string | number {
  const given = new Headers(Object.entries(headers).filter(([, value]) => value !== ""));
  const guarded = dashboardGuard({ method, path, headers: given }, RULES);
  return guarded.ok ? guarded.value : guarded.problem.status;
}

Deno.test("V3 the page has no data and needs no token; nothing else is told without one, not even what there is", () => {
  assert.strictEqual(asked("GET", "/", { host: "127.0.0.1:4000" }), "page");
  assert.strictEqual(asked("POST", "/", HEAD), 405);
  for (const path of ["/api/events", "/api/output", "/api/history", "/api/changes", "/api/action", "/none", "/api"]) {
    const withoutToken = [
      "",
      "Bearer",
      "Bearer ",
      `Basic ${RULES.token}`,
      `Bearer ${RULES.token}0`,
      "Bearer 0",
      RULES.token,
    ]
      .map((authorization) => asked("GET", path, { ...HEAD, authorization }));
    assert.deepStrictEqual(new Set(withoutToken), new Set([401]), path);
  }
  assert.deepStrictEqual(
    ["/api/events", "/api/output", "/api/history", "/api/changes", "/none"].map((path) => asked("GET", path, HEAD)),
    ["events", "output", "history", "changes", 404],
  );
});

Deno.test("V3 a page of another site, by whatever name it reaches the port, gets nothing", () => {
  const hosts = [
    "",
    "evil.example:4000",
    "127.0.0.1",
    "127.0.0.1:4001",
    "127.0.0.2:4000",
    "localhost.evil.example:4000",
    "[::1]:4000",
  ];
  for (const host of hosts) {
    assert.deepStrictEqual(["/", "/api/events"].map((path) => asked("GET", path, { ...HEAD, host })), [403, 403], host);
  }
  const origins = [
    "http://evil.example",
    "http://127.0.0.1",
    "https://127.0.0.1:4000",
    "http://localhost:4000",
    "null",
  ];
  for (const origin of origins) assert.strictEqual(asked("POST", "/api/action", { ...ACTION, origin }), 403, origin);
  for (const site of ["cross-site", "same-site"]) {
    assert.strictEqual(asked("GET", "/api/events", { ...HEAD, "sec-fetch-site": site }), 403, site);
  }
  assert.strictEqual(
    asked("GET", "/api/events", { ...HEAD, host: "LOCALHOST:4000", origin: "http://localhost:4000" }),
    "events",
  );
  assert.strictEqual(
    asked("POST", "/api/action", { ...ACTION, origin: "http://127.0.0.1:4000", "sec-fetch-site": "same-origin" }),
    "action",
  );
});

Deno.test("V3 an action is a POST of JSON with a header that no form and no other site can send", () => {
  assert.strictEqual(asked("POST", "/api/action", ACTION), "action");
  assert.deepStrictEqual(
    [
      asked("GET", "/api/action", ACTION),
      asked("POST", "/api/action", { ...ACTION, "ahma-action": "" }),
      asked("POST", "/api/action", { ...ACTION, "ahma-action": "2" }),
      asked("POST", "/api/action", { ...ACTION, "content-type": "text/plain" }),
      asked("POST", "/api/action", { ...ACTION, "content-type": "" }),
      asked("POST", "/api/events", ACTION),
      asked("OPTIONS", "/api/action", { host: ACTION.host, origin: "http://evil.example" }),
    ],
    [405, 403, 403, 415, 415, 405, 403],
  );
});
