/** Calls of tools behind a login (O3-O5), with the real program and a server of `--mcp-config`. */
import assert from "node:assert/strict";
import { ahma, browserOf, goThrough, logIn, opens, withPerson } from "../_support/login/login.ts";
import { age } from "../_support/login/oauth_processes.ts";
import { OAuthServer } from "../_support/login/oauth_server.ts";
import { type Ran, runProgram } from "../_support/terminal.ts";
import { Workbench } from "../_support/workbench.ts";

const KEY = "key-for-the-mcp-server";

/** A server that is configured, and logged in to. */
async function configured(bench: Workbench, server: OAuthServer) {
  const guarded = { url: server.url, headers: { "X-Api-Key": KEY }, oauth: { callbackPort: 0 } };
  const file = bench.write("mcp.json", JSON.stringify({ mcpServers: { guarded } }));
  const flags = ["--mcp-config", file];
  assert.strictEqual((await logIn(bench, ["guarded", ...flags])).code, 0);
  const words = ["call", "--quiet", ...flags, "guarded_guarded"];
  return {
    flags,
    call: (environment: Readonly<Record<string, string>>): Promise<Ran> =>
      runProgram(bench, words, { script: true, environment }),
  };
}

Deno.test("O4 O5 a call uses the login and refreshes it, and asks the person once at its end and for a scope", async (t) => {
  using bench = new Workbench();
  await using server = new OAuthServer();
  const { call, flags } = await configured(bench, server);
  await t.step("it is refreshed, and no authorization server gets the headers of the entry", async () => {
    server.endAccessTokens();
    const refreshed = await call({});
    assert.deepStrictEqual([refreshed.code, refreshed.stdout], [0, "called"], refreshed.stderr);
    assert.deepStrictEqual(server.grants("refresh_token").length, 1);
    const withKey = new Set(
      server.seen.filter(({ headers }) => headers.get("x-api-key") === KEY).map(({ path }) => path),
    );
    assert.deepStrictEqual([...withKey], ["/mcp"]);
    assert.ok(server.at("/token").length >= 2);
  });
  await t.step("a call whose login is over opens the page once, and a list never does", async () => {
    await age(bench, -1000);
    server.behaviour.refresh = "invalid_grant";
    const list = await ahma(bench, "list-tools", ...flags);
    assert.deepStrictEqual([list.code, opens(bench)], [0, undefined]);
    assert.match(list.stdout, /^guarded_guarded\t/m);
    const without = await call({ DISPLAY: "", WAYLAND_DISPLAY: "" });
    assert.strictEqual(without.code, 1);
    const hint = `Run: ahma_mcp auth login guarded ${flags.join(" ")}`;
    assert.ok((without.stdout + without.stderr).includes(hint), without.stdout + without.stderr);
    let pages = 0;
    const logged = await withPerson(bench, call(browserOf(bench)), async (url) => {
      pages++;
      await goThrough(url);
    });
    assert.deepStrictEqual([logged.code, logged.stdout, pages], [0, "called", 1], logged.stderr);
  });
  await t.step(
    "the next call has that login: it lacks a scope alone, and asks for it and all that were granted",
    async () => {
      server.behaviour.needs = "admin";
      const stepped = await withPerson(bench, call(browserOf(bench)));
      assert.deepStrictEqual([stepped.code, stepped.stdout], [0, "called"], stepped.stderr);
      const asked = server.at("/authorize").map(({ fields }) => fields["scope"]);
      assert.deepStrictEqual(asked, ["read write", "read write", "admin read write"]);
    },
  );
});
