/** Logins of a person with the real program (O3-O5), against an authorization server that does what real ones do wrong. */
import assert from "node:assert/strict";
import {
  ahma,
  callbackOf,
  goThrough,
  listed,
  logIn,
  loginDirectory,
  loginFile,
  logInHere,
  opens,
  storedLogin,
  visit,
  type Visited,
} from "../_support/login/login.ts";
import { OAuthServer } from "../_support/login/oauth_server.ts";
import { UsageError, UserError } from "../../src/base/errors.ts";
import { auth } from "../../src/cli/commands/auth/auth.ts";
import { parseCommandLine } from "../../src/settings/flags/parse_command_line.ts";
import { readInvocation } from "../../src/settings/settings.ts";
import { programStart } from "../_support/program.ts";
import { Workbench } from "../_support/workbench.ts";

const GUARDED = { code: 0, stdout: "guarded\t\tBehind a login.\n", stderr: "" };

Deno.test("O3 O4 O5 auth login keeps a login that list-tools uses, auth list shows it and auth logout ends it", async (t) => {
  using bench = new Workbench();
  await using server = new OAuthServer();
  const before = await listed(bench, server);
  assert.deepStrictEqual(before, {
    code: 1,
    stdout: "",
    stderr: `Cannot list the tools of "${server.url}": "${server.url}" needs a login. Run: ahma_mcp auth login ` +
      `${server.url}\n`,
  });
  assert.strictEqual(opens(bench), undefined, "only a login opens a browser");
  let page: Visited | undefined;
  const login = await logIn(bench, [server.url], async (url) => page = await goThrough(url));
  assert.deepStrictEqual([login.code, login.stdout], [0, ""]);
  assert.match(
    login.stderr,
    /^Log in to "http.*\n\n {2}http:\/\/127[^\n]*\n\nLogged in to ".*", with the scopes read write\n$/s,
  );
  assert.match(page?.text ?? "", /<h1>Logged in<\/h1>/);
  const { mode } = await Deno.stat(loginDirectory(bench));
  const file = await Deno.stat(await loginFile(bench));
  assert.deepStrictEqual([(mode ?? 0) & 0o777, (file.mode ?? 0) & 0o777], [0o700, 0o600]);
  const shown = await ahma(bench, "auth", "list", "--json");
  const [{ expires, ...rest }] = JSON.parse(shown.stdout).logins;
  assert.ok(Date.parse(expires) > Date.now());
  const scopes = ["read", "write"];
  assert.deepStrictEqual(rest, { server: server.url, state: "usable", issuer: server.issuer, scopes, refreshes: true });
  await t.step("O3 its client is registered once, unless a login got no answer", () => isRegisteredOnce(bench, server));
  await t.step("O5 a server that wants more scopes gets them", () => asksForMoreScopes(bench, server));
  const logout = await ahma(bench, "auth", "logout", server.url);
  assert.deepStrictEqual(logout, {
    code: 0,
    stdout: "",
    stderr: `Logged out of "${server.url}". The server revoked the tokens\n`,
  });
  assert.deepStrictEqual(server.at("/revoke").map(({ fields }) => fields["token_type_hint"]), ["refresh_token"]);
  assert.strictEqual(
    (await ahma(bench, "auth", "list")).stdout,
    "There is no login. Make one: ahma_mcp auth login ADDRESS\n",
  );
  const printed = [before, login, shown, logout].map(({ stdout, stderr }) => stdout + stderr).join("");
  assert.doesNotMatch(printed, /-secret-|code-\d|code_verifier/);
});

Deno.test("O3 a login asks with S256, state and resource, is registered for a free port, and only its own page ends it", async () => {
  using bench = new Workbench();
  await using server = new OAuthServer();
  server.behaviour.scope = "only this";
  server.behaviour.issuerPath = "/tenant";
  server.behaviour.resource = `${server.origin}/`;
  // Another program has the usual port.
  using _busy = occupied(8080);
  const pages: number[] = [];
  let back = new URL("about:blank");
  const act = async (url: URL) => {
    back = await callbackOf(url);
    const at = async (change: (url: URL) => void) => {
      const other = new URL(back);
      change(other);
      pages.push((await visit(other)).status);
    };
    await at((other) => other.searchParams.set("state", "0".repeat(64)));
    await at((other) => other.searchParams.delete("state"));
    await at((other) => other.pathname = "/favicon.ico");
    await at((other) => other.hostname = "127.0.0.1");
  };
  await logInHere(bench, server.url, { act, callbackPort: undefined });
  assert.deepStrictEqual(pages, [400, 400, 404, 200]);
  await assert.rejects(visit(back), "nothing listens after it");
  assertIsSafe(server);
});

/** What the login sent. */
function assertIsSafe(server: OAuthServer): void {
  const [asked] = server.at("/authorize");
  const [form] = server.grants("authorization_code");
  const [registration] = server.at("/register");
  const { state = "", code_challenge = "", redirect_uri = "", ...rest } = asked?.fields ?? {};
  assert.match(state, /^[0-9a-f]{64}$/);
  assert.match(code_challenge, /^[\w-]{43}$/);
  assert.match(redirect_uri, /^http:\/\/localhost:(?!8080)\d+\/callback$/);
  assert.deepStrictEqual(rest, {
    response_type: "code",
    client_id: "client-1",
    code_challenge_method: "S256",
    scope: "only this",
    resource: `${server.origin}/`,
  });
  const { redirect_uris, application_type, scope, client_name } = JSON.parse(registration?.body ?? "");
  assert.deepStrictEqual([redirect_uris, application_type, scope, client_name], [
    [redirect_uri],
    "native",
    "only this",
    "ahma_mcp",
  ]);
  assert.deepStrictEqual([form?.fields["resource"], form?.fields["redirect_uri"]], [`${server.origin}/`, redirect_uri]);
}

Deno.test("O3 a refusal of the authorization server is shown on the page and to who asked for the login, as text", async () => {
  using bench = new Workbench();
  await using server = new OAuthServer();
  server.behaviour.error = "access_denied";
  let page = "";
  const act = async (url: URL) => void (page = (await goThrough(url)).text);
  const why = "The authorization server refused the login: access_denied";
  await assert.rejects(
    logInHere(bench, server.url, { act }),
    new UserError(`${why} (<b>Described</b> by the server)`),
  );
  assert.ok(page.includes(`${why} (&#60;b&#62;Described&#60;/b&#62; by the server)`), page);
  assert.deepStrictEqual(server.grants("authorization_code"), []);
});

/** Each: what the servers do, and how the login ends before a browser is opened. */
const REFUSED: Readonly<Record<string, readonly [set: (server: OAuthServer) => void, said: RegExp]>> = {
  "metadata that do not name PKCE": [
    ({ behaviour }) => behaviour.pkce = false,
    /^Login refused: "http.*" does not say that it supports PKCE, .*set "assumePkce": true/,
  ],
  "metadata of another issuer": [({ behaviour }) => behaviour.wrongIssuer = true, /other\.example/],
  "a page instead of metadata": [({ behaviour }) => behaviour.metadata = "html", /offers no login: no metadata/],
  "metadata without end": [({ behaviour }) => behaviour.metadata = "too long", /more than 1048576 bytes/],
  "metadata elsewhere": [({ behaviour }) => behaviour.metadata = "redirect", /offers no login: no metadata/],
  "a resource that is another one": [
    ({ behaviour }) => behaviour.resource = "https://other.example/mcp",
    /names another resource as its own, "https:\/\/other\.example\/mcp"/,
  ],
  "a script as the page to log in": [
    ({ behaviour }) => behaviour.authorizationEndpoint = "javascript:alert(1)",
    /is neither https nor on this machine|Cannot use the authorization server/,
  ],
  "a file as the page to log in": [
    ({ behaviour }) => behaviour.authorizationEndpoint = "file:///etc/passwd",
    /^The authorization endpoint of "http.*" is refused: "file:\/\/\/etc\/passwd" is neither https nor on this machine/,
  ],
  "a plain address as the page to log in": [
    ({ behaviour }) => behaviour.authorizationEndpoint = "http://evil.example/;touch x",
    /^The authorization endpoint of "http.*" is refused: "http:\/\/evil\.example\/;touch x" is not an address/,
  ],
  "no registration": [
    ({ behaviour }) => behaviour.register = "no endpoint",
    /does not let programs register\. Register a client there, and pass its id: --client-id ID/,
  ],
  "a refused registration": [
    ({ behaviour }) => behaviour.register = "forbidden",
    /refuses to register this program: .*status 403 \(text\/plain\): Forbidden\. Register a client/,
  ],
};

Deno.test("O3 a login is refused before the browser is opened where it would not be safe, or could not end well", async (test) => {
  using bench = new Workbench();
  for (const [name, [set, said]] of Object.entries(REFUSED)) {
    await test.step(name, async () => {
      await using server = new OAuthServer();
      set(server);
      const act = () => Promise.reject(new Error("A browser was opened"));
      await assert.rejects(logInHere(bench, server.url, { act }), (thrown) => {
        assert.ok(thrown instanceof UserError, String(thrown));
        assert.match(thrown.message, said);
        return true;
      });
      assert.deepStrictEqual(server.at("/authorize"), []);
    });
  }
  await using server = new OAuthServer();
  server.behaviour.pkce = false;
  const { code, stdout, stderr } = await logIn(bench, [server.url]);
  assert.deepStrictEqual([code, stdout], [1, ""], stderr);
  assert.match(stderr, /^Login refused: "http.*" does not say that it supports PKCE, .*set "assumePkce": true/);
  assert.deepStrictEqual([server.at("/authorize"), opens(bench)], [[], undefined]);
});

Deno.test("O3 a client that the person registered is used unchanged, only at its port, also where only the server's own metadata are found", async () => {
  using bench = new Workbench();
  await using server = new OAuthServer();
  Object.assign(server.behaviour, { register: "no endpoint", hasResourceDocument: false });
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = taken.addr;
  await assert.rejects(
    logInHere(bench, server.url, { clientId: "mine", callbackPort: port }),
    new UserError(
      `Cannot wait for the browser on port ${port}: another program has it. End that program, or choose the port ` +
        "that is registered for the client: --oauth-port PORT",
    ),
  );
  assert.strictEqual((await logIn(bench, [server.url, "--client-id", "mine"])).code, 0);
  assert.deepStrictEqual(server.at("/authorize").map(({ fields }) => fields["client_id"]), ["mine"]);
  assert.deepStrictEqual(server.at("/register"), []);
});

/** Has the port, unless another program has it already. */
function occupied(port: number): Disposable {
  try {
    return Deno.listen({ hostname: "127.0.0.1", port });
  } catch (thrown) {
    if (thrown instanceof Deno.errors.AddrInUse) return { [Symbol.dispose]() {} };
    throw thrown;
  }
}

/** The subcommand in this process, without what the program prints of what it throws. */
async function authHere(bench: Workbench, ...words: readonly string[]): Promise<number> {
  const environment = { HOME: bench.home };
  const line = parseCommandLine(["auth", ...words]);
  assert.ok(line.ok);
  const invocation = readInvocation(line.value, { environment, cores: 2 });
  assert.ok(invocation.ok && invocation.value.kind === "run");
  const { operands, flags } = line.value;
  const stop = new AbortController().signal;
  const rest = { settingsProblem: undefined, wrapped: false };
  return await auth({ ...invocation.value, ...rest, environment, operands, flags, stop });
}

Deno.test("O3 the secret of a registered client comes from a variable, and appears in no output", async () => {
  using bench = new Workbench();
  const line = ["login", "https://mcp.example/mcp", "--client-secret-env", "MY_SECRET"];
  await assert.rejects(
    authHere(bench, ...line),
    new UsageError('Cannot use "--client-secret-env" without "--client-id": the secret belongs to a client'),
  );
  await assert.rejects(
    authHere(bench, ...line, "--client-id", "mine"),
    new UsageError('Cannot use flag "--client-secret-env": the variable "MY_SECRET" is not set'),
  );
});

Deno.test("O3 the entry of a server says how to log in: client, secret, scopes, port, PKCE; flags win", async () => {
  using bench = new Workbench();
  await using server = new OAuthServer();
  server.behaviour.pkce = false;
  const oauth = {
    clientId: "entered",
    scopes: ["narrow"],
    callbackPort: 0,
    assumePkce: true,
    clientSecret: "${env:S}",
  };
  const file = bench.write("mcp.json", JSON.stringify({ mcpServers: { guarded: { url: server.url, oauth } } }));
  const flags = ["guarded", "--mcp-config", file];
  await assert.rejects(authHere(bench, "login", ...flags), /^UserError: Cannot use server "guarded": .*\bS\b/);
  await assert.rejects(
    authHere(bench, "login", "garded", ...flags.slice(1)),
    /^UsageError: No server with an address is named "garded" in /,
  );
  oauth.clientSecret = "hush";
  bench.write("mcp.json", JSON.stringify({ mcpServers: { guarded: { url: server.url, oauth } } }));
  const first = await logIn(bench, flags);
  assert.strictEqual(first.code, 0, first.stderr);
  assert.match(first.stderr, /^Warning: "http.*" does not say that it supports PKCE, .*because "assumePkce" is set$/m);
  assert.strictEqual((await logIn(bench, [server.url, ...flags.slice(1), "--client-id", "typed"])).code, 0);
  const asked = server.at("/authorize").map(({ fields }) => [fields["client_id"], fields["scope"]]);
  assert.deepStrictEqual(asked, [["entered", "narrow"], ["typed", "narrow"]]);
  const out = await ahma(bench, "auth", "logout", ...flags);
  assert.deepStrictEqual(out.code, 0);
  assert.doesNotMatch(first.stdout + first.stderr + out.stderr, /hush/);
});

Deno.test("O3 without a browser the address that another one ends at is pasted on the terminal", async () => {
  using bench = new Workbench();
  await using server = new OAuthServer();
  const { environment } = programStart(bench, []);
  const terminal = new URL("../_support/login/paste.py", import.meta.url).pathname;
  const program = new URL("../../dist/ahma_mcp", import.meta.url).pathname;
  const child = new Deno.Command("python3", {
    args: [terminal, program, "auth", "login", server.url, "--oauth-port", "0"],
    cwd: bench.scope,
    clearEnv: true,
    env: { ...environment, AHMA_DENO: Deno.execPath(), TERM: "xterm" },
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const typed = child.stdin.getWriter();
  let said = "";
  let hasPasted = false;
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    said += text;
    const page = /\r\n\r\n {2}(http\S+)\r\n/.exec(said)?.[1];
    if (page === undefined || hasPasted || !said.includes("ssh -L")) continue;
    hasPasted = true;
    const back = await callbackOf(new URL(page));
    await typed.write(new TextEncoder().encode(`http://localhost/?code=x&state=y\n${back.href}\n`));
  }
  await typed.close();
  assert.deepStrictEqual([(await child.status).success, hasPasted], [true, true], said);
  assert.match(said, /This address does not belong to the login.*Logged in to "http/s);
});

/** `server` wants more than it did at the login. */
async function asksForMoreScopes(bench: Workbench, server: OAuthServer): Promise<void> {
  server.behaviour.needs = "admin";
  const lacking = await listed(bench, server);
  const command = `ahma_mcp auth login ${server.url} --scopes "admin read write"`;
  assert.deepStrictEqual(lacking, {
    code: 1,
    stdout: "",
    stderr:
      `Cannot list the tools of "${server.url}": The login to "${server.url}" lacks scopes for this. Run: ${command}\n`,
  });
  assert.strictEqual((await logIn(bench, [server.url, "--scopes", "admin read write"])).code, 0);
  assert.deepStrictEqual(server.at("/authorize").map(({ fields }) => fields["scope"]).slice(-2), [
    "read write",
    "admin read write",
  ]);
  assert.deepStrictEqual(await listed(bench, server), GUARDED);
}

/** The client of the only login is used again at its port, and registered afresh when a login got no answer. */
async function isRegisteredOnce(bench: Workbench, server: OAuthServer): Promise<void> {
  const stored = async () => {
    const { client } = await storedLogin(bench) as { readonly client: { readonly redirectUri: string } };
    return { registered: server.at("/register").length, port: Number(new URL(client.redirectUri).port) };
  };
  const { port: callbackPort } = await stored();
  await assert.rejects(
    logInHere(bench, server.url, { callbackPort, act: () => Promise.resolve(), timeoutMs: 500 }),
    new UserError("No answer came from the browser within 0.5 s (--oauth-timeout)"),
  );
  assert.deepStrictEqual(await stored(), { registered: 1, port: callbackPort });
  await logInHere(bench, server.url, { callbackPort });
  assert.deepStrictEqual(await stored(), { registered: 2, port: callbackPort });
}
