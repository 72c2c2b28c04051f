/** Logins and refreshes with an authorization server that others wrote: oidc-provider (O3, O4). */
import assert from "node:assert/strict";
import { IndependentServer, signIn } from "../_support/login/independent_server.ts";
import { ahma, logInHere, visit } from "../_support/login/login.ts";
import { age, called, withServersOf } from "../_support/login/oauth_processes.ts";
import { Workbench } from "../_support/workbench.ts";

Deno.test("O3 O4 oidc-provider: a login, one refresh for 8 calls at once, rotation, and the end", async () => {
  using bench = new Workbench();
  await using server = await IndependentServer.start();
  const act = async (page: URL) => await visit(await signIn(page));
  assert.strictEqual((await logInHere(bench, server.url, { act })).tokens.scope, "read write");
  await withServersOf(bench, server.url, 1, async (callAll) => {
    await age(bench, -1000);
    server.endAccessTokens();
    assert.deepStrictEqual(await callAll(), called(1));
    assert.deepStrictEqual(await server.granted(), { authorization_code: 1, refresh_token: 1 });
    // The next refresh needs the refresh token of the last one.
    server.endAccessTokens();
    assert.deepStrictEqual(await callAll(), called(1));
  });
  assert.deepStrictEqual(await server.granted(), { authorization_code: 1, refresh_token: 2 });
  const logout = await ahma(bench, "auth", "logout", server.url);
  assert.strictEqual(logout.stderr, `Logged out of "${server.url}". The server revoked the tokens\n`);
});
