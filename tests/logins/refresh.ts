/** How an access token is renewed (O4, O5): once for all processes, and without loss when an authorization server fails. */
import assert from "node:assert/strict";
import { SILENT } from "../../src/base/log.ts";
import { LoginFiles } from "../../src/upstream/oauth/store/login_files.ts";
import { type LogInAgain, TokenSource } from "../../src/upstream/oauth/token_source.ts";
import { listed, loginDirectory, loginFile, logInHere, opens, storedLogin } from "../_support/login/login.ts";
import { age, called, withServersOf } from "../_support/login/oauth_processes.ts";
import { OAuthServer } from "../_support/login/oauth_server.ts";
import { ServerProcess } from "../_support/server_process.ts";
import { usersAtHand, Workbench } from "../_support/workbench.ts";

const GUARDED = { code: 0, stdout: "guarded\t\tBehind a login.\n", stderr: "" };

/** Two processes with eight calls each. */
async function isRefreshedOnce(bench: Workbench, server: OAuthServer): Promise<void> {
  const before = server.grants("refresh_token").length;
  const refreshes = () => server.grants("refresh_token").length - before;
  await withServersOf(bench, server.url, 2, async (callAll) => {
    assert.deepStrictEqual(refreshes(), 0);
    server.endAccessTokens();
    assert.deepStrictEqual(await callAll(), called(2));
    assert.deepStrictEqual(refreshes(), 1);
    server.endAccessTokens();
    await age(bench, -1000);
    assert.deepStrictEqual(await callAll(), called(2));
    assert.deepStrictEqual(refreshes(), 2);
  });
}

async function isRefreshedBeforeItsEnd(bench: Workbench, server: OAuthServer): Promise<void> {
  const before = server.grants("refresh_token").length;
  await age(bench, 30_000);
  const old = (await storedLogin(bench))["tokens"] as { readonly accessToken: string };
  for (const failure of ["unavailable", "html"] as const) {
    server.behaviour.refresh = failure;
    assert.strictEqual(await tokenSource(bench, server).token(), old.accessToken, failure);
  }
  server.behaviour.refresh = "rotate";
  const fresh = await tokenSource(bench, server).token();
  assert.notStrictEqual(fresh, old.accessToken);
  assert.deepStrictEqual(server.grants("refresh_token").length, before + 3);
  assert.deepStrictEqual(await tokenSource(bench, server).token(), fresh);
  assert.deepStrictEqual(server.grants("refresh_token").length, before + 3);
}

async function staysAfterAFailure(bench: Workbench, server: OAuthServer): Promise<void> {
  await age(bench, -1000);
  const before = await Deno.readTextFile(await loginFile(bench));
  server.behaviour.refresh = "unavailable";
  const { code, stderr } = await listed(bench, server);
  assert.strictEqual(code, 1);
  assert.match(
    stderr,
    /Cannot refresh the login to ".*": ".*\/token" answers with status 503 .*The next try is possible in 7 s$/m,
  );
  assert.deepStrictEqual([await Deno.readTextFile(await loginFile(bench)), opens(bench)], [before, undefined]);
  server.behaviour.refresh = "rotate";
  assert.deepStrictEqual(await listed(bench, server), GUARDED);
}

async function isNotSentAgain(bench: Workbench, server: OAuthServer): Promise<void> {
  await age(bench, -1000);
  const refreshes = server.grants("refresh_token").length;
  const { code, stderr } = await listed(bench, server);
  assert.deepStrictEqual([code, opens(bench)], [1, undefined]);
  assert.match(
    stderr,
    /needs a login: the authorization server refuses the refresh token \(invalid_\w+\)\. Run: ahma_mcp auth login/,
  );
  assert.strictEqual(await tokenSource(bench, server).token(), undefined);
  assert.deepStrictEqual(server.grants("refresh_token").length, refreshes + 1);
  server.behaviour.refresh = "rotate";
}

/** The same in this process, where a new TokenSource is what a new process has. */
async function isUnknownClient(bench: Workbench, server: OAuthServer): Promise<void> {
  await age(bench, -1000);
  const refreshes = server.grants("refresh_token").length;
  for (let tries = 0; tries < 2; tries++) {
    const source = tokenSource(bench, server);
    assert.strictEqual(await source.token(), undefined);
    assert.match(
      (await source.needsLogin()).message,
      /needs a login: the authorization server refuses the refresh token \(invalid_client\)\. Run: log in$/,
    );
  }
  assert.deepStrictEqual(server.grants("refresh_token").length, refreshes + 1);
}

async function getsOneMoreAttempt(bench: Workbench, server: OAuthServer): Promise<void> {
  const before = server.grants("refresh_token").length;
  server.behaviour.refusesAll = true;
  let logins = 0;
  const source = tokenSource(bench, server, async () => await Promise.resolve(++logins > 0));
  const refused = async () => await source.replace(await source.token(), {});
  const seen = [await refused(), await refused(), await refused(), await refused()];
  const refreshes = server.grants("refresh_token").length - before;
  assert.deepStrictEqual([seen, logins, refreshes], [[true, true, false, false], 1, 1]);
  server.behaviour.refusesAll = false;
}

async function asksForAllScopes(bench: Workbench, server: OAuthServer): Promise<void> {
  const asked: (string | undefined)[] = [];
  const source = tokenSource(bench, server, async ({ scope }) => await Promise.resolve(asked.push(scope) > 0));
  const lacking = async (scope: string) => await source.stepUp(await source.token(), { scope });
  const seen = [await lacking("admin"), await lacking("admin"), await lacking("more read"), await lacking("most")];
  assert.deepStrictEqual([seen, asked], [[true, false, true, false], ["admin read write", "more read write"]]);
  assert.ok(await source.stepUp("another token", { scope: "x" }), "another token has come meanwhile");
}

Deno.test("O4 O5 a login is refreshed without loss when an authorization server fails, and needs a person at a refusal", async (t) => {
  using bench = new Workbench();
  await using server = new OAuthServer();
  await logInHere(bench, server.url);
  const step = (name: string, act: typeof asksForAllScopes) => t.step(name, () => act(bench, server));
  await step(
    "O4 two processes with eight calls each refresh once when a token is refused, and once when its time is over",
    isRefreshedOnce,
  );
  await step("O5 calls that lack scopes lead to one login for all of these scopes, twice at most", asksForAllScopes);
  await step("O5 a server that keeps refusing valid tokens gets one more attempt", getsOneMoreAttempt);
  await step("O4 a token is refreshed before its end, and still used when that fails", isRefreshedBeforeItsEnd);
  await step(
    "O4 a refresh that fails for now changes nothing, opens no browser, and names the next try",
    staysAfterAFailure,
  );
  server.behaviour.refresh = "invalid_grant";
  await step("O5 a refused refresh token needs a person, and is not sent again", isNotSentAgain);
  const clients = server.at("/register").length;
  await logInHere(bench, server.url);
  assert.deepStrictEqual(server.at("/register").length, clients + 1);
  server.behaviour.refresh = "unknown client";
  await step("O5 the same where the client is unknown", isUnknownClient);
});

function tokenSource(bench: Workbench, { url }: OAuthServer, logIn?: LogInAgain): TokenSource {
  const files = new LoginFiles(loginDirectory(bench), SILENT);
  return new TokenSource({ files, serverUrl: url, loginHint: "log in", now: () => Date.now(), log: SILENT, logIn });
}

for (const user of usersAtHand()) {
  Deno.test(`O4 no command reads or changes the logins, whatever it may read (${user})`, async () => {
    using bench = new Workbench(user);
    const directory = loginDirectory(bench);
    const file = bench.write(`${directory}/mcp.example-0123456789ab.json`, "the-secret-of-this-test\n");
    bench.write(`${bench.home}/other`, "readable\n");
    await using server = await ServerProcess.start(bench, { flags: ["--read", bench.home] });
    const attacks = [
      `cat ${file}`,
      `grep -rs secret ${bench.home}/.local`,
      `ln -f ${file} stolen; cat stolen`,
      `mv ${bench.home}/.local/state moved; cat moved/ahma/oauth/*`,
      `cat /proc/self/root${file}`,
      `echo planted > ${directory}/planted.json`,
    ];
    for (const attack of attacks) {
      const { text } = await server.shell(attack);
      assert.ok(!text.includes("the-secret-of-this-test"), attack);
    }
    assert.match((await server.shell(`cat ${bench.home}/other`)).text, /^readable$/m);
    const names = (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name);
    assert.deepStrictEqual(names, ["mcp.example-0123456789ab.json"]);
  });
}
