import assert from "node:assert/strict";
import type { OAuthConfig } from "../oauth_config.ts";
import { redirectOf } from "./redirect.ts";

const url = new URL("https://mcp.example");

function shown(config: Omit<OAuthConfig, "url">) {
  const { withPort, ...rest } = redirectOf({ url, ...config });
  return { ...rest, address: withPort(9) };
}

Deno.test("O3 redirectOf() is localhost:8080/callback, at another port where that one is taken", () => {
  const usual = { port: 8080, path: "/callback", isFixed: false, address: "http://localhost:9/callback" };
  assert.deepStrictEqual(shown({}), usual);
  assert.deepStrictEqual(shown({ clientId: "a" }), { ...usual, isFixed: true });
  assert.deepStrictEqual(shown({ callbackPort: 3118 }), { ...usual, port: 3118, isFixed: true });
  assert.deepStrictEqual(shown({ callbackPort: 0 }), { ...usual, port: 0 });
});

Deno.test("O3 redirectOf() keeps a registered address as it is, and listens where it leads", () => {
  const here = "http://localhost:3118/oauth/back";
  assert.deepStrictEqual(shown({ redirectUri: here }), {
    port: 3118,
    path: "/oauth/back",
    isFixed: true,
    address: here,
  });
  const there = "https://tunnel.example/x";
  assert.deepStrictEqual(shown({ redirectUri: there }), { port: 8080, path: "/x", isFixed: true, address: there });
  for (const redirectUri of ["http://evil.example/x", "app://x", "x"]) {
    assert.throws(() => redirectOf({ url, redirectUri }), /is neither https nor http on localhost$/, redirectUri);
  }
});
