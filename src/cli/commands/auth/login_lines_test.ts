import assert from "node:assert/strict";
import type { StoredLogin } from "../../../upstream/oauth/store/stored_login.ts";
import { clientLines, loginLines, loginsAsJson } from "./login_lines.ts";

const LOGIN: StoredLogin = {
  version: 1,
  serverUrl: "https://mcp.example/mcp",
  issuer: "https://auth.example",
  client: { clientId: "a", clientSecret: "hush", redirectUri: "http://localhost:8080/callback", how: "given" },
  server: {
    url: "https://auth.example",
    authorizationEndpoint: "https://a.example/x",
    tokenEndpoint: "https://a.example/t",
  },
  tokens: { accessToken: "hush", refreshToken: "hush", scope: "read write", obtainedAt: 0, expiresAt: 60_000 },
};

Deno.test("O4 auth list tells state, end and scopes, and no token", () => {
  const over = { ...LOGIN, tokens: { accessToken: "hush", obtainedAt: 0, expiresAt: 60_000 } };
  const refused = { ...LOGIN, needsLogin: "the server refuses it" };
  const endless = { ...LOGIN, tokens: { accessToken: "hush", obtainedAt: 0 } };
  const logins = [LOGIN, over, refused, endless];
  const states = loginLines(logins, 120_000).split("\n").filter((_, line) => line % 3 === 1);
  assert.deepStrictEqual(states, [
    "  usable: until 1970-01-01T00:01:00.000Z, then refreshed",
    "  needs login: until 1970-01-01T00:01:00.000Z",
    "  needs login (the server refuses it): until 1970-01-01T00:01:00.000Z",
    "  usable: the server does not say when it ends",
  ]);
  assert.deepStrictEqual(JSON.parse(loginsAsJson([LOGIN], 0, [])), {
    logins: [{
      server: "https://mcp.example/mcp",
      state: "usable",
      issuer: "https://auth.example",
      scopes: ["read", "write"],
      expires: "1970-01-01T00:01:00.000Z",
      refreshes: true,
    }],
  });
  assert.doesNotMatch(loginLines(logins, 0) + loginsAsJson(logins, 0, []), /hush/);
});

Deno.test("O8 auth list names a client that logs in by itself, and where its token is from", () => {
  const client = { server: "https://mcp.example/mcp", clientId: "robot", issuer: "https://auth.example" };
  assert.strictEqual(
    clientLines([client, { ...client, issuer: undefined }]),
    "https://mcp.example/mcp\n  client robot logs in by itself (client_credentials), from https://auth.example\n" +
      "https://mcp.example/mcp\n  client robot logs in by itself (client_credentials)\n",
  );
});
